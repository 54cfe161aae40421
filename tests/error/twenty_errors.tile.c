// No more than 20 errors are shown.
kernel void k(int n)
{
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
}
---
twenty_errors.tile.c:4:9: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
        ^
twenty_errors.tile.c:4:15: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
              ^
twenty_errors.tile.c:4:21: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                    ^
twenty_errors.tile.c:4:27: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                          ^
twenty_errors.tile.c:4:33: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                                ^
twenty_errors.tile.c:4:39: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                                      ^
twenty_errors.tile.c:4:45: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                                            ^
twenty_errors.tile.c:4:51: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                                                  ^
twenty_errors.tile.c:5:9: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
        ^
twenty_errors.tile.c:5:15: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
              ^
twenty_errors.tile.c:5:21: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                    ^
twenty_errors.tile.c:5:27: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                          ^
twenty_errors.tile.c:5:33: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                                ^
twenty_errors.tile.c:5:39: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                                      ^
twenty_errors.tile.c:5:45: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                                            ^
twenty_errors.tile.c:5:51: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                                                  ^
twenty_errors.tile.c:6:9: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
        ^
twenty_errors.tile.c:6:15: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
              ^
twenty_errors.tile.c:6:21: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                    ^
twenty_errors.tile.c:6:27: error: unexpected ';', expected an expression
    n = ; n = ; n = ; n = ; n = ; n = ; n = ; n = ;
                          ^
