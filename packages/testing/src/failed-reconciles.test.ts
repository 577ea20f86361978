import { parseLabelSelector } from "@pilothouse/api"
import { type ConfigMap, configMaps, secrets } from "@pilothouse/api/core/v1"
import { type ControllerSpec, controller, plan, RetryAfterError } from "@pilothouse/runtime"
import { type Duration, silentLog } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { cluster } from "./cluster.ts"
import type { ClusterOptions } from "./cluster-options.ts"

const settings: ConfigMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "settings", namespace: "default" },
  data: { selector: "a in (" },
}

const mine = (spec: Partial<ControllerSpec<ConfigMap>>) =>
  controller<ConfigMap>("mine", {
    for: configMaps,
    observe: (key, read) => (key === "default/settings" ? read.get(configMaps, key) : undefined),
    decide: () => plan(),
    ...spec,
  })

async function start(spec: Partial<ControllerSpec<ConfigMap>>, options: ClusterOptions = {}) {
  const made = await cluster({ nodes: 0, controllers: [], extra: [mine(spec)], log: silentLog, ...options })
  await made.apply(settings)
  return made
}

const mistakes: readonly (readonly [string, Partial<ControllerSpec<ConfigMap>>, string])[] = [
  [
    "a selector that does not parse",
    { decide: ({ data }) => plan().nothing(String(parseLabelSelector(data?.selector ?? ""))) },
    "mine default/settings: ",
  ],
  [
    "a read of a kind that is not declared",
    { observe: (key, read) => read.get(secrets, key) as ConfigMap | undefined },
    "the controller mine reads secrets but does not declare it; add it to its owns, watches or reads",
  ],
  [
    "a duration in words",
    { decide: () => plan().requeueAfter("10 minutes" as Duration, "test") },
    'expected a duration such as "1h30m", "5m"',
  ],
  [
    "an error of the program",
    { decide: () => (undefined as unknown as { plan(): ReturnType<typeof plan> }).plan() },
    "mine default/settings: ",
  ],
]

test.each(mistakes)("%s fails the test with its message", async (_name, spec, message) => {
  const running = await start(spec)
  await expect(running.settled()).rejects.toThrow(message)
  await expect(running.close()).resolves.toBeUndefined()
})

test("a mistake fails until() at once, and a test that waits for nothing when it closes", async () => {
  const waiting = await start({ decide: () => plan().requeueAfter("soon" as Duration, "test") })
  const began = waiting.clock.elapsed()
  await expect(waiting.until(() => false)).rejects.toThrow("a reconcile failed, mine default/settings: expected a duration")
  expect(waiting.clock.elapsed() - began).toBeLessThan(60_000)
  await waiting.close()
})

test("a key that never recovers fails the test when the cluster closes, one that does not", async () => {
  const failing = (times: number) => {
    let left = times
    return { observe: async () => (left-- > 0 ? Promise.reject(new Error("the cloud is away")) : undefined) }
  }
  const broken = await start(failing(Number.POSITIVE_INFINITY))
  await broken.advance("1m")
  await expect(broken.close()).rejects.toThrow(/a reconcile failed, mine [\w/.-]+: the cloud is away; .*expectFailure/)
  const recovered = await start(failing(5))
  await recovered.advance("1m")
  await expect(recovered.close()).resolves.toBeUndefined()
})

test("failures that the test names, and retries that the controller plans, do not fail it", async () => {
  const expected = await start({ decide: () => plan().requeueAfter("soon" as Duration, "test") }, { expectFailure: /expected a duration/ })
  await expected.settled()
  await expected.close()
  const planned = await start({
    decide: () => {
      throw new RetryAfterError("30s", "it is being built")
    },
  })
  await planned.advance("10s")
  await planned.close()
})

test("until() says what was done, also where the last reconcile found nothing to do, and which caches have not synced", async () => {
  const done = await start({
    decide: (found) =>
      found.metadata.labels?.marked === undefined
        ? plan().patch(found, { metadata: { labels: { marked: "yes" } } }, "it has no mark")
        : plan().nothing("it is marked"),
  })
  await expect(done.until(() => false)).rejects.toThrow(/patch ConfigMap default\/settings, because it has no mark.*; then it is marked/)
  await done.close()
})
