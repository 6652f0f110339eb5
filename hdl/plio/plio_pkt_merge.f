// Packet merger: round robin over N streams, whole packets, header inserted.
+incdir+../common
../axis/skid_buffer.sv
plio_valid_words.sv
plio_pkt_merge.sv
