import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { controllers, createControllers } from "@pilothouse/controllers"
import type { RunnerTask } from "vitest"
import { startVitest } from "vitest/node"
import { controllerOf, type Finding, findingsIn } from "./crash-points/finding.ts"
import type { SoakContext } from "./soak.ts"

const root = join(import.meta.dirname, "..", "..")

/**
 * Every crash point of every scenario that the tests of the packages sweep: `npm test` tries ten of each. --points n tries n of each.
 * Prints the controller, how many points were tried, how many ended otherwise than without a crash, and how many points all have tried so far.
 */
export async function soak({ random, number, print, passed, failed }: SoakContext): Promise<void> {
  const findings: Finding[] = []
  const line = (...[controller, points, failures, soFar]: readonly unknown[]) =>
    `${String(controller).padEnd(28)}${String(points).padStart(8)}${String(failures).padStart(10)}${String(soFar).padStart(10)}`
  print(line("controller", "points", "failures", "so far"))
  const files = filesWithScenarios()
  print(`${files.length} files have scenarios`)
  const config = join(import.meta.dirname, "crash-points", "vitest.config.ts")
  const vitest = await startVitest("test", files, {
    root,
    config,
    run: true,
    watch: false,
    testNamePattern: "crash",
    provide: { points: number("points", 0), seed: random.int(2 ** 31) },
    reporters: [
      {
        onUserConsoleLog({ content }) {
          for (const finding of findingsIn(content)) {
            findings.push(finding)
            const soFar = findings.reduce((sum, { points }) => sum + points, 0)
            print(line(controllerOf(finding), finding.points, finding.failures.length, soFar))
            passed(finding.points - finding.failures.length)
            for (const failure of finding.failures) failed(`${controllerOf(finding)}: ${failure}`)
          }
        },
      },
    ],
  })
  const broken = vitest.state
    .getFiles()
    .filter((file) => file.result?.state === "fail" && !findings.some(({ file: known }) => known === file.filepath))
  for (const file of broken) failed(`${file.filepath} could not be run: ${whyBroken(file).join("; ") || "npm test says more"}`)
  if (findings.length === 0) failed("no scenario was found")
  for (const name of unswept(findings)) failed(`${name} writes in no scenario`)
  await vitest.close()
}

/** Controllers of the table that wrote nothing in any scenario. Some run under another name than the table's, which their events have too. */
function unswept(findings: readonly Finding[]): readonly string[] {
  const swept = new Set(findings.flatMap(({ writers }) => writers))
  const namesOf = (name: string) => [name, ...createControllers({ select: [name] }).map((controller) => controller.name)]
  return controllers.map(({ name }) => name).filter((name) => !namesOf(name).some((one) => swept.has(one)))
}

/** What its tests, or the file itself, ended with. */
function whyBroken(task: RunnerTask): readonly string[] {
  const own = (task.result?.errors ?? []).map(({ message }) => `${task.name}: ${message}`)
  return [...own, ...("tasks" in task ? task.tasks.flatMap(whyBroken) : [])]
}

function filesWithScenarios(): string[] {
  const all = readdirSync(join(root, "packages"), { recursive: true, encoding: "utf8" })
  const tests = all.filter((path) => path.endsWith(".test.ts") && !path.includes("node_modules") && !path.startsWith("testing"))
  const having = tests.filter((path) => /\bcrashPoints\(/.test(readFileSync(join(root, "packages", path), "utf8")))
  return having.map((path) => join("packages", path))
}
