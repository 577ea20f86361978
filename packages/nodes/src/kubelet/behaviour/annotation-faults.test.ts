import { events, type Pod } from "@pilothouse/api/core/v1"
import { cluster } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { annotationFaults } from "./annotation-faults.ts"

function pod(annotations: Record<string, string>): Pod {
  const containers = [{ name: "app" }, { name: "log.shipper" }]
  return { apiVersion: "v1", kind: "Pod", metadata: { name: "a", annotations }, spec: { containers, initContainers: [{ name: "setup" }] } }
}

test.each<[name: string, text: string]>([
  ["start-time", "3s"],
  ["run-time", "forever"],
  ["run-time.app", "1m30s"],
  ["run-time.log.shipper", "5s"],
  ["exit-code.setup", "-1"],
  ["ready", "0s=true, 60s=false"],
  ["alive", "false"],
  ["pull-error", "the registry is on holiday"],
  ["cpu", "0s=100m,60s=900m"],
  ["memory", "64Mi"],
])("pilothouse.dev/%s: %s is understood", (name, text) => {
  expect(annotationFaults(pod({ [`pilothouse.dev/${name}`]: text }))).toEqual([])
})

test.each<[name: string, text: string, fault: string]>([
  ["start-time", "3 seconds", ': expected a duration such as 3s, found "3 seconds"'],
  ["run-time", "soon", ': expected a duration such as 30s, or forever, found "soon"'],
  ["run-tme", "3s", " is not known; did you mean run-time?"],
  ["something", "3s", " is not known"],
  ["exit-code", "one", ': expected a whole number, found "one"'],
  ["ready", "yes", ': expected true, false, or a curve such as 0s=true,60s=false, found "yes"'],
  ["alive", "0s=true,later=false", ': expected true, false, or a curve such as 0s=true,60s=false, found "0s=true,later=false"'],
  ["cpu", "lots", ': expected a quantity such as 100m, or a curve such as 0s=100m,60s=900m, found "lots"'],
  ["memory", "0s=1Mi,60s=", ': expected a quantity such as 100m, or a curve such as 0s=100m,60s=900m, found "0s=1Mi,60s="'],
  ["stop-time.app", "3s", ": stop-time is for the whole pod, and not for a container"],
  ["cpu.ap", "100m", " is for a container that the pod does not have; did you mean app?"],
  ["constructor", "100m", " is not known"],
])("pilothouse.dev/%s: %s is not", (name, text, fault) => {
  expect(annotationFaults(pod({ [`pilothouse.dev/${name}`]: text }))).toEqual([`pilothouse.dev/${name}${fault}`])
})

test("what others write is theirs", () => {
  expect(annotationFaults(pod({ "example.com/cpu": "lots", "custom.metrics.pilothouse.dev/queue": "many" }))).toEqual([])
})

test("an event reports them once, when the node accepts the pod", async () => {
  await using running = await cluster({ controllers: [], kubeletEvents: true })
  const told = { "pilothouse.dev/cpu": "lots", "pilothouse.dev/run-tme": "3s" }
  await running.apply({ ...pod(told), spec: { containers: [{ name: "app", image: "example/app" }] } })
  await running.advance("10m")
  const said = (await running.list(events)).filter(({ reason }) => reason === "InvalidAnnotation")
  expect(said.map(({ type, message, count }) => ({ type, message, count }))).toEqual([
    {
      type: "Warning",
      message:
        'pilothouse.dev/cpu: expected a quantity such as 100m, or a curve such as 0s=100m,60s=900m, found "lots"; pilothouse.dev/run-tme is not known; did you mean run-time?',
      count: 1,
    },
  ])
})
