import { describe, expect, test } from "vitest"
import { Life, nine, sh, simulatedPod } from "../testing/pods.ts"
import { printedLog } from "./container-log.ts"
import { chosenLines, logOptionsOf, logText } from "./container-logs.ts"

const lines = [0, 1, 2, 3].map((minutes) => ({ at: nine + minutes * 60_000, text: `line ${minutes}` }))

function chosen(query: Readonly<Record<string, string>>): string {
  const options = logOptionsOf(query, nine + 180_000)
  return logText(chosenLines(lines, options), options)
}

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["all, by default", {}, "line 0\nline 1\nline 2\nline 3\n"],
  ["the last ones", { tailLines: "2" }, "line 2\nline 3\n"],
  ["none at all", { tailLines: "0" }, ""],
  ["of the last seconds", { sinceSeconds: "60" }, "line 2\nline 3\n"],
  ["since a moment", { sinceTime: "2026-01-05T09:01:00Z" }, "line 1\nline 2\nline 3\n"],
  ["the last of those since a moment", { sinceTime: "2026-01-05T09:01:00Z", tailLines: "1" }, "line 3\n"],
  ["with their times", { tailLines: "1", timestamps: "true" }, "2026-01-05T09:03:00.000000000Z line 3\n"],
  ["a flag that is not set", { tailLines: "1", timestamps: "false" }, "line 3\n"],
])("%s", (_name, query, expected) => {
  expect(chosen(query)).toBe(expected)
})

describe("what a container printed", () => {
  const texts = (life: Life, previous = false) => {
    const { pod, now } = life
    const log = printedLog(pod, pod.spec!.containers[0]!, pod.status!.containerStatuses![0]!, now, previous)
    return log?.lines.map(({ text }) => text)
  }

  test("ends with it, though its command would have said more", () => {
    const life = new Life(simulatedPod({ restartPolicy: "Never", containers: [sh("echo a; sleep 5; echo b")], says: { "run-time": "2s" } }))
    expect(texts(life.until(1))).toEqual(["a"])
    expect([life.until(60).summary, texts(life)]).toEqual(["Succeeded a:exit 0", ["a"]])
  })

  test("that is not understood: that it started, and how it ended", () => {
    const life = new Life(simulatedPod({ restartPolicy: "Never", says: { "run-time": "2s", "exit-code": "3" } })).until(9)
    expect(texts(life)).toEqual(["a started (simulated: nothing of image i runs)", "a ended with exit code 3"])
  })

  test("in the run before, while it waits for the next", () => {
    const life = new Life(simulatedPod({ containers: [sh("echo once; exit 1")] })).until(1)
    expect([life.summary, texts(life), texts(life, true)]).toEqual(["Running a:CrashLoopBackOff/1", ["once"], ["once"]])
  })
})
