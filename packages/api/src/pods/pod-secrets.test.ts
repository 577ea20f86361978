import { expect, test } from "vitest"
import type { Pod } from "../generated/core/v1.types.ts"
import { podSecrets } from "./pod-secrets.ts"

test("the Secrets of a pod: pulled with, in the environment of any container, mounted in any way", () => {
  const spec: Pod["spec"] = {
    imagePullSecrets: [{ name: "pull" }],
    initContainers: [
      {
        name: "a",
        env: [
          { name: "X", valueFrom: { secretKeyRef: { name: "key", key: "x" } } },
          { name: "Y", value: "y" },
        ],
      },
    ],
    containers: [{ name: "b", envFrom: [{ secretRef: { name: "all" } }, { configMapRef: { name: "none" } }] }],
    volumes: [
      { name: "1", secret: { secretName: "mounted" } },
      { name: "2", projected: { sources: [{ secret: { name: "projected" } }, { configMap: { name: "none" } }] } },
      { name: "3", csi: { driver: "example.com", nodePublishSecretRef: { name: "published" } } },
      { name: "4", rbd: { image: "i", monitors: [], secretRef: { name: "ceph" } } },
      { name: "5", azureFile: { secretName: "azure", shareName: "s" } },
      { name: "6", emptyDir: {} },
    ],
  }
  expect(podSecrets({ spec })).toEqual(["pull", "key", "all", "mounted", "projected", "published", "ceph", "azure"])
})

test("what only has the name of such a field is none, and neither is a name that is empty", () => {
  const spec: Pod["spec"] = {
    imagePullSecrets: [{ name: "" }],
    nodeSelector: { secret: "x", secretName: "y" },
    containers: [{ name: "a", envFrom: [{ secretRef: { name: "" } }] }],
    volumes: [
      { name: "1", csi: { driver: "example.com", volumeAttributes: { secretName: "s" } } },
      { name: "2", secret: {} },
    ],
  }
  expect(podSecrets({ spec })).toEqual([])
})
