import type { ContainerState, Pod } from "@pilothouse/api/core/v1"
import { expect, test } from "vitest"
import { hasPodStopped, podClaimKeys } from "./pods-by-claim.ts"

function pod(options: {
  readonly deleted?: boolean
  readonly phase?: "Running" | "Failed" | "Succeeded"
  readonly states?: readonly ContainerState[]
}): Pod {
  const containerStatuses = options.states?.map((state, at) => ({
    name: `c${at}`,
    image: "",
    imageID: "",
    ready: false,
    restartCount: 0,
    state,
  }))
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "web", namespace: "shop", ...(options.deleted && { deletionTimestamp: "2026-01-05T09:00:00Z" }) },
    spec: {
      containers: [],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: "data" } },
        { name: "scratch", ephemeral: {} },
        { name: "plain", emptyDir: {} },
      ],
    },
    status: { phase: options.phase ?? "Running", containerStatuses },
  }
}

test("a pod names the claims of its volumes, and those that are made for its ephemeral ones", () => {
  expect(podClaimKeys(pod({}))).toEqual(["shop/data", "shop/web-scratch"])
})

const [runs, waits, ended]: readonly ContainerState[] = [{ running: {} }, { waiting: {} }, { terminated: { exitCode: 0 } }]
test.each<[string, Pod, boolean]>([
  ["one that runs has not stopped", pod({ states: [runs!] }), false],
  ["one whose containers restart has not stopped", pod({ states: [waits!, ended!] }), false],
  ["one that succeeded has stopped", pod({ phase: "Succeeded" }), true],
  ["one that failed has stopped", pod({ phase: "Failed" }), true],
  ["one that is deleted and still runs has not stopped", pod({ deleted: true, states: [ended!, runs!] }), false],
  ["one that is deleted and whose containers have ended has stopped", pod({ deleted: true, states: [ended!, waits!] }), true],
  ["one that is deleted before it ran has stopped", pod({ deleted: true }), true],
])("%s", (_name, given, expected) => {
  expect(hasPodStopped(given)).toBe(expected)
})
