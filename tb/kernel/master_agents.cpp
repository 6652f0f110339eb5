// SPDX-License-Identifier: Apache-2.0
//
// master_agents.cpp - the processes of cocotbext-axi's AxiMaster and AxiLiteMaster, of one direction each: one that splits commands
// into bursts, and those that gather answers. AXI has one of these per ID in use, and one that hands answers to them. An AXI-Lite
// access is commands of bursts of one beat.

#include <algorithm>
#include <map>

#include "access_agents.h"

extern "C" {

struct GbMaster {
  const char* clock;
  GbEnd address, data, answer;  ///< data: of writes; a null pointer for reads
  std::uint64_t lanes, ids;  ///< ids: how many there are
  std::int32_t lite;
};

struct GbMasterCommand {
  std::int64_t number;
  std::uint64_t address, length;
  const std::uint8_t* data;  ///< null: a read
  std::int64_t id;           ///< -1: the next one
  std::uint64_t size, burst, prot, lock, cache, qos, region, user;
  const std::uint64_t* beat_users;
  std::int64_t beat_user_count;  ///< -1: one for all beats
  std::uint64_t most;            ///< beats of a burst
};

struct GbMasterResult {
  std::int64_t number;
  std::uint64_t resp;
  const std::uint8_t* data;  ///< read
  std::int64_t bytes;
  const std::uint64_t* users;  ///< side-bands of the answers
  std::int64_t user_count;
};

}  // extern "C"

namespace {

using namespace goldbeat;

struct MasterCommand : GbMasterCommand {
  MasterCommand() : GbMasterCommand{} {}
  explicit MasterCommand(const GbMasterCommand& from) : GbMasterCommand(from) {
    if (data != nullptr) bytes.assign(data, data + length);
    if (beat_user_count != 0) users.assign(beat_users, beat_users + std::max<std::int64_t>(beat_user_count, 1));
  }

  std::uint64_t beat_user(std::uint64_t beat) const {
    if (beat_user_count < 0) return users[0];
    return beat < users.size() ? users[beat] : 0;
  }

  std::vector<std::uint8_t> bytes;
  std::vector<std::uint64_t> users;
};

/// A command whose answers are gathered.
struct Awaited {
  std::int64_t number;
  std::uint64_t address, length, size;
  std::vector<std::uint64_t> bursts;  ///< beats of each
};

struct MasterResult {
  std::int64_t number;
  std::uint64_t resp;
  std::vector<std::uint8_t> data;
  std::vector<std::uint64_t> users;
};

class Master;

/// Gathers the answers to the commands of an ID, or to all of an AXI-Lite master.
class Gatherer final : public Process {
 public:
  Gatherer(Master& master, EdgeLine* at);

  /// As a task that is started: it goes on behind those that are ready.
  void begin() {
    if (state_ != State::kStopped) return;
    restart();
    sleep();
    wake();
  }

  void flush(std::vector<std::int64_t>& numbers);

  void await(Awaited command) {
    commands_.push_back(std::move(command));
    told(&commands_);
  }

  void give(ChannelItem item) {
    answers_.push_back(std::move(item));
    told(&answers_);
  }

  std::uint64_t tag = 0;
  bool mapped = false;

 private:
  void restart() override { running_ = false; }
  bool step() override;
  bool receive(ChannelItem& item);
  bool take(const ChannelItem& item);
  bool fail(Broken how);
  void end();

  Master& master_;
  std::deque<Awaited> commands_;
  std::deque<ChannelItem> answers_;
  bool running_ = false;
  Awaited now_{};
  MasterResult result_{};
  std::size_t burst_ = 0;
  std::uint64_t beat_ = 0, offset_ = 0, start_ = 0;
};

/// Splits commands into bursts.
class Master final : public Process {
 public:
  explicit Master(const GbMaster& master)
      : lite(master.lite != 0),
        write(master.data.channel != nullptr),
        lanes(master.lanes),
        ids(master.ids),
        answer(master.answer, write ? int{kAnswerFields} : int{kReadFields}, nullptr),
        address_(master.address, kAddressFields, this) {
    if (write) data_ = std::make_unique<Out>(master.data, kDataFields, this);
  }

  void send(const GbMasterCommand& command) {
    commands_.emplace_back(command);
    told(&commands_);
  }

  /// The gatherer of an ID, which begins now if it has not.
  Gatherer& gatherer(std::uint64_t tag) {
    const auto found = mapping_.find(tag);
    if (found != mapping_.end()) return *found->second;
    if (idle_.empty()) {
      gatherers_.push_back(watches().add(std::make_unique<Gatherer>(*this, line)));
      idle_.push_back(gatherers_.back());
    }
    Gatherer& made = *idle_.back();
    idle_.pop_back();
    made.begin();
    made.tag = tag;
    made.mapped = true;
    mapping_[tag] = &made;
    return made;
  }

  void set_idle(Gatherer& gatherer) {
    if (gatherer.mapped && mapping_.erase(gatherer.tag) != 0) idle_.push_back(&gatherer);
    gatherer.mapped = false;
  }

  void finish(MasterResult result) {
    results.push_back(std::move(result));
    note(1);
  }

  void fail(Broken how) {
    broken = how;
    note(1);
  }

  /// Drop everything: the numbers of the commands that have not begun, of the one that has, and of those with answers to come.
  void flush(std::vector<std::int64_t>* numbers) {
    for (const MasterCommand& command : commands_) numbers[0].push_back(command.number);
    if (running_) numbers[1].push_back(now_.number);
    for (Gatherer* gatherer : gatherers_) gatherer->flush(numbers[2]);
    commands_.clear();
    results.clear();
    active.clear();
    next_id_ = 0;
    running_ = false;
  }

  std::int64_t queued() const { return static_cast<std::int64_t>(commands_.size()); }
  std::int64_t current() const { return running_ ? now_.number : -1; }

  const bool lite, write;
  const std::uint64_t lanes, ids;
  In answer;
  std::map<std::uint64_t, std::int64_t> active;  ///< bursts by ID
  std::deque<MasterResult> results;
  Broken broken = Broken::kNothing;

 private:
  enum class Step { kFetch, kBeat, kAddress, kData };

  void restart() override { step_ = Step::kFetch; }

  bool step() override {
    switch (step_) {
      case Step::kFetch:
        if (commands_.empty()) return wait(&commands_);
        begin();
        return true;
      case Step::kBeat:
        if (beat_ == beats_) return end();
        if (!write) ++place_;
        if (place_ >= length_) {
          offer();
        } else {
          step_ = Step::kData;
        }
        return true;
      case Step::kAddress:
        if (address_.channel->full()) return wait(address_.channel);
        address_.channel->send(std::move(item_));
        step_ = Step::kData;
        return true;
      case Step::kData:
        break;
    }
    if (write) {
      if (data_->channel->full()) return wait(data_->channel);
      send_data();
    }
    next();
    return true;
  }

  void begin() {
    now_ = std::move(commands_.front());
    commands_.pop_front();
    running_ = true;
    moved();
    bytes_ = 1ULL << now_.size;
    beats_ = (now_.length + now_.address % bytes_ + bytes_ - 1) / bytes_;
    current_ = now_.address;
    aligned_ = now_.address / bytes_ * bytes_;
    offset_ = aligned_ % lanes;
    beat_ = place_ = length_ = taken_ = 0;
    bursts_.clear();
    id_ = now_.id < 0 ? next_id_ : static_cast<std::uint64_t>(now_.id);
    if (now_.id < 0) next_id_ = (next_id_ + 1) % ids;
    step_ = Step::kBeat;
    if (lite) gatherer(0).await({now_.number, now_.address, now_.length, now_.size, std::vector<std::uint64_t>(beats_, 1)});
  }

  /// Begin a burst: at most so many beats, and none beyond 4 KiB.
  void offer() {
    place_ = 0;
    length_ = std::min(beats_ - beat_, now_.most);
    length_ = (std::min(length_ * bytes_, kPage - current_ % kPage) + bytes_ - 1) / bytes_;
    bursts_.push_back(length_);
    item_ = address_.item();
    const std::uint64_t values[] = {id_,       current_,  length_ - 1, now_.size,   now_.burst, now_.prot,
                                    now_.lock, now_.cache, now_.qos,    now_.region, now_.user};
    for (int role = 0; role < kAddressFields; ++role) address_.put(item_, role, values[role]);
    ++active[id_];
    step_ = Step::kAddress;
  }

  void send_data() {
    const std::uint64_t begin = beat_ == 0 ? now_.address % lanes : offset_;
    const std::uint64_t end = beat_ == beats_ - 1 ? (now_.address + now_.length - 1) % lanes + 1 : offset_ + bytes_;
    ChannelItem item = data_->item();
    if (end > begin) std::memcpy(data_->at(item, kData) + begin, now_.bytes.data() + taken_, end - begin);
    if (end > begin) taken_ += end - begin;
    for (std::uint64_t lane = begin; data_->has(kStrb) && lane < end; ++lane) {
      data_->at(item, kStrb)[lane / 8] |= static_cast<std::uint8_t>(1U << lane % 8);
    }
    data_->put(item, kLast, ++place_ >= length_);
    data_->put(item, kDataUser, now_.beat_user(beat_));
    data_->channel->send(std::move(item));
  }

  void next() {
    if (now_.burst == kFixed) {
      current_ = now_.address;
    } else {
      current_ = beat_ == 0 ? aligned_ + bytes_ : current_ + bytes_;
    }
    offset_ = (offset_ + bytes_) % lanes;
    ++beat_;
    step_ = Step::kBeat;
  }

  bool end() {
    if (!lite) gatherer(id_).await({now_.number, now_.address, now_.length, now_.size, bursts_});
    running_ = false;
    step_ = Step::kFetch;
    return true;
  }

  Out address_;
  std::unique_ptr<Out> data_;
  std::deque<MasterCommand> commands_;
  std::vector<Gatherer*> gatherers_, idle_;
  std::map<std::uint64_t, Gatherer*> mapping_;
  Step step_ = Step::kFetch;
  MasterCommand now_;
  ChannelItem item_;
  bool running_ = false;
  std::uint64_t next_id_ = 0, id_ = 0, bytes_ = 0, beats_ = 0, beat_ = 0, current_ = 0, aligned_ = 0, offset_ = 0;
  std::uint64_t place_ = 0, length_ = 0, taken_ = 0;
  std::vector<std::uint64_t> bursts_;
};

Gatherer::Gatherer(Master& master, EdgeLine* at) : master_(master) {
  line = at;
  if (master.lite) master.answer.channel->process = this;
}

/// The numbers of its commands, in the order in which cocotbext-axi drops them.
void Gatherer::flush(std::vector<std::int64_t>& numbers) {
  stop();
  if (running_ && !master_.lite) numbers.push_back(now_.number);
  for (const Awaited& command : commands_) numbers.push_back(command.number);
  if (running_ && master_.lite) numbers.push_back(now_.number);
  commands_.clear();
  answers_.clear();
  running_ = false;
  master_.set_idle(*this);
}

bool Gatherer::step() {
  if (!running_) {
    if (commands_.empty()) return wait(&commands_);
    now_ = std::move(commands_.front());
    commands_.pop_front();
    result_ = {now_.number, kOkay, {}, {}};
    running_ = true;
    burst_ = beat_ = 0;
    start_ = now_.address % master_.lanes;
    offset_ = start_ >> now_.size << now_.size;
  }
  if (burst_ == now_.bursts.size()) {
    end();
    return true;
  }
  ChannelItem item;
  return receive(item) && take(item);
}

bool Gatherer::receive(ChannelItem& item) {
  ChannelSink* channel = master_.answer.channel;
  if (master_.lite) {
    if (channel->queued() == 0) return wait(channel);
    item = channel->take();
    return true;
  }
  if (answers_.empty()) return wait(&answers_);
  item = std::move(answers_.front());
  answers_.pop_front();
  return true;
}

bool Gatherer::fail(Broken how) {
  master_.fail(how);
  return wait(&master_.broken);
}

bool Gatherer::take(const ChannelItem& item) {
  const In& from = master_.answer;
  if (!master_.lite && master_.active[tag] <= 0) return fail(Broken::kUnexpectedId);
  const bool last = beat_ + 1 == (master_.write ? 1 : now_.bursts[burst_]);
  if (!master_.write && from.has(kReadLast) && (from.get(item, kReadLast) != 0) != last) {
    return fail(last ? Broken::kMissingLast : Broken::kUnexpectedLast);
  }
  const std::uint64_t resp = from.get(item, master_.write ? +kAnswerResp : +kReadResp, kOkay);
  if (resp != kOkay) result_.resp = resp;
  const int user = master_.write ? +kAnswerUser : +kReadUser;
  if (from.has(user)) result_.users.push_back(from.get(item, user));
  if (!master_.write) {
    const std::uint8_t* data = from.at(item, kReadData);
    const std::uint64_t end = offset_ + (1ULL << now_.size);
    result_.data.insert(result_.data.end(), data + start_, data + end);
    start_ = offset_ = end % master_.lanes;
  }
  ++beat_;
  if (!last) return true;
  beat_ = 0;
  ++burst_;
  --master_.active[tag];
  return true;
}

void Gatherer::end() {
  if (result_.data.size() > now_.length) result_.data.resize(now_.length);
  master_.finish(std::move(result_));
  running_ = false;
  if (!master_.lite && commands_.empty() && answers_.empty()) master_.set_idle(*this);
}

/// Hands answers to the gatherers of their IDs.
class Dispatcher final : public Process {
 public:
  explicit Dispatcher(Master& master) : master_(master) {
    line = master.line;
    master.answer.channel->process = this;
  }

 private:
  void restart() override {}

  bool step() override {
    ChannelSink* channel = master_.answer.channel;
    if (channel->queued() == 0) return wait(channel);
    ChannelItem item = channel->take();
    const std::uint64_t id = master_.answer.get(item, master_.write ? +kAnswerId : +kReadId);
    if (master_.active[id] <= 0) {
      master_.fail(Broken::kUnexpectedId);
      return wait(&master_.broken);
    }
    master_.gatherer(id).give(std::move(item));
    return true;
  }

  Master& master_;
};

Master* master_of(void* agent) { return static_cast<Master*>(static_cast<Agent*>(agent)); }

}  // namespace

extern "C" {

void* gb_master(const GbMaster* master) {
  return made_agent(master->clock, [&] { return std::make_unique<Master>(*master); });
}
void* gb_master_dispatcher(void* master) {
  return static_cast<Agent*>(watches().add(std::make_unique<Dispatcher>(*master_of(master))));
}
void gb_master_send(void* master, const GbMasterCommand* command) { master_of(master)->send(*command); }

/// What has been broken, as Broken.
std::int32_t gb_master_broken(void* master) { return static_cast<std::int32_t>(master_of(master)->broken); }

/// How many commands have not begun.
std::int64_t gb_master_queued(void* master) { return master_of(master)->queued(); }
/// The number of the command that is being split, -1: none.
std::int64_t gb_master_current(void* master) { return master_of(master)->current(); }

/// Drop all commands: their numbers, and how many have not begun, have begun, wait for answers. Room is for all that have not ended,
/// and one more.
void gb_master_flush(void* master, std::int64_t* numbers, std::int64_t* counts) {
  std::vector<std::int64_t> found[3];
  master_of(master)->flush(found);
  for (int part = 0; part < 3; ++part) {
    counts[part] = static_cast<std::int64_t>(found[part].size());
    numbers = std::copy(found[part].begin(), found[part].end(), numbers);
  }
}

/// The oldest command that has ended, until it is popped. False: there is none.
int gb_master_result(void* master, GbMasterResult* into) {
  const auto& results = master_of(master)->results;
  if (results.empty()) return 0;
  const MasterResult& one = results.front();
  *into = {one.number,        one.resp, one.data.data(), static_cast<std::int64_t>(one.data.size()),
           one.users.data(), static_cast<std::int64_t>(one.users.size())};
  return 1;
}
void gb_master_pop(void* master) { master_of(master)->results.pop_front(); }

}  // extern "C"
