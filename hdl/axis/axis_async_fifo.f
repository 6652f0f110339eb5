// AXI-Stream FIFO between two clocks (Gray pointers).
+incdir+../common
reset_sync.sv
fifo_async.sv
axis_async_fifo.sv
