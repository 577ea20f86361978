import { type ChildProcess, spawn, spawnSync } from "node:child_process"

export interface TerminalOptions {
  readonly cwd: string
  readonly env?: NodeJS.ProcessEnv
}

/** A terminal as people sit at: wide enough that nothing is cut, and without colours. */
const terminal = { TERM: "dumb", COLUMNS: "250", LINES: "50", NO_COLOR: "1" }

/** util-linux' `script` gives a command a pseudo-terminal: it, and what it starts, see a person in front of them. */
function inTerminal(command: string): readonly [program: string, args: readonly string[]] {
  return ["script", ["--quiet", "--return", "--flush", "--command", command, "/dev/null"]]
}

/** Whether there is one to be had here. */
export function hasTerminal(): boolean {
  return spawnSync("script", ["--version"]).status === 0
}

/** Runs a command until it is stopped; what is written to its standard input is typed. */
export function startTyped(command: string, { cwd, env = process.env }: TerminalOptions): ChildProcess {
  const [program, args] = inTerminal(command)
  return spawn(program, args, { cwd, env: { ...env, ...terminal }, stdio: ["pipe", "pipe", "inherit"] })
}

/** Everything that the command showed. */
export function runTyped(command: string, { cwd, env = process.env }: TerminalOptions): string {
  const [program, args] = inTerminal(command)
  const { stdout } = spawnSync(program, args, { cwd, env: { ...env, ...terminal }, encoding: "utf8", timeout: 60_000 })
  return withoutControls(stdout)
}

/** Lines as they stand on the screen: what moves the cursor or paints is not text. */
export function withoutControls(shown: string): string {
  return (
    shown
      .replaceAll("\r\n", "\n")
      .replace(/\x1b\[[0-9;?]*[A-Za-z]/g, "")
      .replace(/\^[CD][\b]*/g, "")
      // What was written over: the line that shows progress.
      .replace(/[^\n]*\r/g, "")
  )
}
