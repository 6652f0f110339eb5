// SPDX-License-Identifier: Apache-2.0
//
// wishbone_memory.cpp - Wishbone slave memory on plain arrays.
//
// An answer comes as many cycles after the first cycle of its request as the latency and the jitter say. Without STALL a write is
// stored, and a read looks, in the cycle that ends the access, and some accesses get RTY at first; with it, when they are taken.

#include <deque>

#include "wishbone.h"
#include "word_memory.h"

namespace goldbeat {

class WishboneMemory final : public WordMemory {
 public:
  /// `words`: addresses count words, not bytes. `retries`: some accesses get RTY at first.
  WishboneMemory(std::string name, const GbWishboneNames& names, bool words, bool retries)
      : WordMemory(std::move(name)), at_(names, Side::kSlave), retries_(retries && !at_.rty.absent() && !at_.pipelined()) {
    bytes_ = at_.bytes();
    while (words && (1ULL << shift_) < bytes_) ++shift_;
  }

  void drive() override {
    at_.stall.set(!ready_);
    at_.ack.set(answers_ && !again_ && !fails());
    at_.err.set(answers_ && !again_ && fails());
    at_.rty.set(answers_ && again_);
    if (answers_ && !again_ && !log_[open_.front().row].kind) {
      at_.rdat.set(at_.pipelined() ? open_.front().value : shown(open_.front().row, selected()));
    } else {
      idle_.drive(at_.rdat);
    }
  }

  std::string waiting() const override { return open_.empty() ? "" : open_text(open_.front().row); }

 protected:
  void forget() override {
    open_.clear();
    at_.rdat.set(0);
    answers_ = again_ = ready_ = false;
  }

  bool edge(std::int64_t cycle) override {
    const bool asks = at_.cyc.get() && at_.stb.get();
    const bool ended = answers_ && at_.cyc.get() && (at_.pipelined() || asks);
    if (ended) take_answer(cycle);
    if (!at_.cyc.get() || (!at_.pipelined() && !asks)) {
      // The master has given up.
      if (!open_.empty() && !at_.pipelined()) withdraw();
      open_.clear();
    }
    if (at_.pipelined() ? asks && ready_ : asks && !ended && open_.empty()) request(cycle);
    const bool stood = ready_;
    ready_ = pattern_.next(asks && !ready_);
    const bool shown = answers_;
    answers_ = !open_.empty() && open_.front().due <= cycle + 1;
    return answers_ || shown || stood != ready_;
  }

 private:
  struct Asked {
    std::size_t row;
    std::int64_t due;     ///< cycle of the answer
    std::uint64_t value;  ///< read
  };

  /// There is somebody to tell.
  bool fails() const { return refused(open_.front().row) && !at_.err.absent(); }

  void request(std::int64_t cycle) {
    const bool write = at_.writes();
    const std::size_t row = begin(cycle, write, at_.adr.get() << shift_);
    open_.push_back({row, cycle + latency(write), write ? 0 : shown(row, selected())});
    again_ = retries_ && !again_ && (timing_.read_jitter || timing_.write_jitter) && draw(kRetries) == 0;
    if (write && at_.pipelined()) store_now(row);
  }

  void take_answer(std::int64_t cycle) {
    const std::size_t row = open_.front().row;
    open_.pop_front();
    if (again_) {
      withdraw();
      return;
    }
    end(row, cycle);
    if (log_[row].kind && !at_.pipelined()) store_now(row);
  }

  std::uint64_t selected() const { return at_.sel.absent() ? ~std::uint64_t{0} : at_.sel.get(); }

  void store_now(std::size_t row) const { store(row, at_.wdat.get(), selected()); }

  static constexpr std::uint64_t kRetries = 8;  ///< one access of so many gets RTY at first

  WishbonePorts at_;
  bool retries_;
  unsigned shift_ = 0;
  std::deque<Asked> open_;
  bool answers_ = false;  ///< the first of them is answered in this cycle
  bool again_ = false;    ///< its answer is RTY; the next one is another
  bool ready_ = false;    ///< no STALL
};

}  // namespace goldbeat

extern "C" {

void* gb_wishbone_memory(const char* name, const char* port, const goldbeat::GbWishboneNames* names, int words, int retries) {
  return goldbeat::guarded(
      [&] {
        goldbeat::Clock& clock = goldbeat::kernel().clock(port);
        auto made = std::make_unique<goldbeat::WishboneMemory>(name, *names, words != 0, retries != 0);
        return static_cast<void*>(static_cast<goldbeat::Transactor*>(goldbeat::kernel().add(clock, std::move(made))));
      },
      static_cast<void*>(nullptr));
}

}  // extern "C"
