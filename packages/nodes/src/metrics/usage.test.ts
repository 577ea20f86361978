import { expect, test } from "vitest"
import { Life, simulatedPod } from "../kubelet/testing/pods.ts"
import { containerUsages } from "./resource-metrics.ts"

test("a sidecar that runs was left out of what its pod uses", () => {
  const initContainers = [
    { name: "done", image: "i" },
    { name: "side", image: "i", restartPolicy: "Always" },
  ]
  const life = new Life(simulatedPod({ initContainers, says: { "cpu.side": "300m" } })).until(10)
  expect(containerUsages(life.pod, life).map(({ name, usage }) => [name, usage.cpu])).toEqual([
    ["a", 0.001],
    ["side", 0.3],
  ])
})
