import { type Pod, pods } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { sectionsOf } from "../answer/sections.ts"
import { crashLogLines } from "./crash-logs.ts"
import { unreadyPodLines } from "./unready-pods.ts"

function crashing(name: string, ...containers: readonly string[]): Pod {
  const annotations = { "pilothouse.dev/exit-code": "1" }
  const spec = { containers: containers.map((one) => ({ name: one, image: "web" })) }
  return { apiVersion: "v1", kind: "Pod", metadata: { name, namespace: "default", annotations }, spec }
}

test("a crash controller showed an exit code and no clue: where the log is to be read is said", async () => {
  await using running = await cluster({ controllers: [] })
  await running.apply(crashing("web-1", "web"))
  await running.advance("30s")
  const found = await running.client.get(pods, "default/web-1")
  const sections = await sectionsOf(running.client, pods, found, { now: running.clock.now() })
  expect(sections.find(({ title }) => title === "Containers")?.lines).toEqual([
    expect.stringMatching(/^web waits: CrashLoopBackOff/),
    '"pilothouse logs web-1 -p" shows what it printed',
  ])
})

test("of several containers the log is named, and the namespace where it is not the context's", async () => {
  await using running = await cluster({ controllers: [] })
  await running.apply(crashing("web-1", "web", "proxy"))
  await running.advance("30s")
  const found = await running.client.get(pods, "default/web-1")
  expect(crashLogLines(found, { now: 0, defaultNamespace: "team" })).toEqual([
    '"pilothouse logs web-1 -p -c web -n default" shows what web printed',
    '"pilothouse logs web-1 -p -c proxy -n default" shows what proxy printed',
  ])
})

test("pods that crash alike are still one reason, with the log of the first", async () => {
  await using running = await cluster({ controllers: [] })
  for (const name of ["web-1", "web-2"]) await running.apply(crashing(name, "web"))
  await running.advance("30s")
  expect(await unreadyPodLines(running.client, "default", ["web-1", "web-2"], { now: running.clock.now() })).toEqual([
    expect.stringMatching(/^web-1 and web-2: web waits: CrashLoopBackOff.*; "pilothouse logs web-1 -p" shows what it printed$/),
  ])
})
