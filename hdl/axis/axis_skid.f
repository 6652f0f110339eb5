// AXI-Stream skid buffer (register slice).
+incdir+../common
skid_buffer.sv
axis_skid.sv
