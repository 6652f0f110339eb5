// AXI-Stream synchronous FIFO.
+incdir+../common
fifo_sync.sv
axis_fifo.sv
