+incdir+inc
+define+LIST_DELAY
needs_define.sv
