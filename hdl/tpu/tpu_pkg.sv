// SPDX-License-Identifier: Apache-2.0
//
// tpu_pkg - what the blocks of the front end hand to one another.

package tpu_pkg;

  // An engine's stream of a group.
  typedef struct packed {
    logic [31:0] block;         // address / 128
    logic [23:0] size;          // blocks of 8 beats
    logic [23:0] count;         // commands
  } group_t;

  // What a command does when it ends.
  typedef struct packed {
    logic [23:0] id;
    logic        is_end;
    logic        is_send;
    logic [8:0]  message;
    logic [6:0]  count;
  } effect_t;

  typedef struct packed {
    logic [9:0] kind;
    logic       is_wait;
    logic [3:0] fault;          // error code, 0: none
    effect_t    effect;
  } command_t;

  // How long commands take: one duration for all, or a table, and what is written to it.
  typedef struct packed {
    logic [1:0]  mode;          // 1: by kind, 2: by id, else one for all
    logic [23:0] duration;
    logic [9:0]  table_index;
    logic [23:0] table_data;
  } times_t;

endpackage
