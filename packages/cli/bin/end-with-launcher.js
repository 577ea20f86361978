// Loaded before the program that a launcher starts: when the launcher is gone, killed and without a word, the program is asked to stop as by SIGTERM. A
// server would hold its port and its data directory, and no user would know which process to stop. The channel to the launcher is Node's own: it is not among the
// variables or open files of what the program starts, and the standard streams are as they were.
const own = process.execArgv.findIndex((flag) => flag.endsWith("end-with-launcher.js"))
// What the program forks has a channel of its own, which means something else.
if (own !== -1) process.execArgv.splice(own, 1)
const stop = () => void process.kill(process.pid, "SIGTERM")
// Undefined where there is no channel, as in a thread.
if (process.connected === false) stop()
else if (process.connected) {
  process.once("disconnect", stop)
  // Listening alone would keep a program alive that has come to its end.
  process.channel.unref()
}
