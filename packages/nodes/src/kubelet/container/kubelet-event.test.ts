import { expect, test } from "vitest"
import { type PodFacts, simulatedPod } from "../testing/pods.ts"
import { probeKilling } from "./kubelet-event.ts"

const sidecar = { name: "side", image: "i", restartPolicy: "Always" }

test.each<[string, PodFacts, string]>([
  ["one that is started again", {}, "Container a failed liveness probe, will be restarted"],
  ["one that is started again because it failed", { restartPolicy: "OnFailure" }, "Container a failed liveness probe, will be restarted"],
  ["one that was promised a restart, and had none", { restartPolicy: "Never" }, "Container a failed liveness probe"],
  ["a sidecar", { initContainers: [sidecar] }, "Init container side failed liveness probe"],
])("what is said of a container that is stopped for its probe: %s", (_name, facts, message) => {
  const { initContainers = [], containers } = simulatedPod(facts).spec!
  expect(probeKilling(simulatedPod(facts), [...initContainers, ...containers][0]!, "liveness").message).toBe(message)
})
