// AXI-Stream width converter, wide to narrow.
+incdir+../common
skid_buffer.sv
axis_downsizer.sv
