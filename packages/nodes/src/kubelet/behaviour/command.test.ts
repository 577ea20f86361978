import { expect, test } from "vitest"
import { courseOf } from "./command.ts"

const sh = (script: string) => ["sh", "-c", script]
const forEver = Number.POSITIVE_INFINITY

/** Command, then milliseconds, exit code and lines; undefined: the command is not understood. */
const rows: readonly [string, readonly string[], [number, number, ...string[]] | undefined][] = [
  ["no command", [], undefined],
  ["a server", ["nginx", "-g", "daemon off;"], undefined],
  ["sleep", ["sleep", "30"], [30_000, 0]],
  ["sleep by its path", ["/bin/sleep", "1.5"], [1500, 0]],
  ["sleep with units", ["sleep", "1m", "30s"], [90_000, 0]],
  ["sleep in days", ["sleep", "1d"], [86_400_000, 0]],
  ["sleep for ever", ["sleep", "infinity"], [forEver, 0]],
  ["exit", sh("exit 3"), [0, 3]],
  ["true and false", ["false"], [0, 1]],
  ["a script", sh("sleep 5; exit 1"), [5000, 1]],
  ["a script of a shell with flags", ["/bin/bash", "-ec", "sleep 5\nexit 2"], [5000, 2]],
  ["exit ends a script", sh("exit 4; sleep 5"), [0, 4]],
  ["echo", ["echo", "hello", "world"], [0, 0, "hello world"]],
  ["echo in a script, with quotes", sh(`echo "a  b" 'c'; sleep 1; echo d`), [1000, 0, "a  b c", "d"]],
  ["echo into a file", sh("echo a > /tmp/b"), [0, 0]],
  ["what follows a success", sh("true && echo yes || echo no"), [0, 0, "yes"]],
  ["what follows a failure", sh("false && echo yes || echo no"), [0, 0, "no"]],
  ["echo with a flag", ["echo", "-n", "hello"], [0, 0, "hello"]],
  ["what a shell becomes", sh("echo a; exec sleep 7"), [7000, 0, "a"]],
  ["a code as a shell has it", sh("exit 256"), [0, 0]],
  ["a quick program", sh("date; echo Hello"), [0, 0, "Hello"]],
  ["a server after some words", sh("echo starting; nginx"), [forEver, 0, "starting"]],
  ["a while loop", sh("while true; do date; sleep 1; done"), undefined],
]

test.each(rows)("%s", (_name, command, expected) => {
  const course = courseOf({ command })
  expect(course && [course.runTime, course.exitCode, ...course.prints.map(({ line }) => line)]).toEqual(expected)
})

test("lines come when the commands before them are done", () => {
  expect(courseOf({ command: ["sh", "-c"], args: ["echo a; sleep 2; echo b"] })?.prints).toEqual([
    { at: 0, line: "a" },
    { at: 2000, line: "b" },
  ])
})
