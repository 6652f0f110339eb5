// SPDX-License-Identifier: Apache-2.0
//
// objfifo_pkg - what the blocks of the engine hand to one another.

package objfifo_pkg;

  typedef struct packed {
    logic       token;          // one token when all is done
    logic [7:0] repeats;        // beyond the first time
    logic [5:0] start;          // first descriptor
  } task_t;

  // A lock, and the value that is acquired, released or written.
  typedef struct packed {
    logic [5:0] id;
    logic [5:0] value;
  } lock_t;

  // A descriptor's iteration counter begins anew.
  typedef struct packed {
    logic       we;
    logic [5:0] bd;
    logic [5:0] first;
  } counter_t;

  typedef struct packed {
    logic       header;         // a packet header goes first
    logic [4:0] packet_id;
    logic [2:0] packet_type;
    logic [5:0] ooo_id;         // names the descriptor of an out-of-order receiver
  } header_t;

  // A descriptor on its way through the slots of a channel, all but its walk and its header.
  typedef struct packed {
    logic [5:0] bd;
    logic       last;           // of its task
    logic       token;
    logic       suppress_last;
    lock_t      release_lock;
  } descriptor_t;

  // A descriptor as objfifo_walk wants it.
  typedef struct packed {
    logic [20:0]      start;    // bit 20: beyond any address
    logic [17:0]      length;
    logic             endless;  // dimension 0 has no wrap
    logic [2:0][5:0]  first;    // first digit with data
    logic [2:0][10:0] beyond;   // first digit behind the data
    logic [2:0][10:0] top;      // last digit
    logic [3:0][16:0] step;
  } walk_t;

endpackage
