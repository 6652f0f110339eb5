// Comments of all three kinds.
-F nested.f   # a list in a list
/* spread over
   two lines */
-D LIST_UNUSED=3
