// AXI-Stream width converter, narrow to wide.
+incdir+../common
skid_buffer.sv
axis_upsizer.sv
