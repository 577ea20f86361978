import { expect, test } from "vitest"
import { statusIn, testServer } from "../testing/server.ts"

const containers = [{ name: "c", image: "i" }]
const pod = (spec: object = {}) => ({ metadata: { generateName: "web-" }, spec: { containers, ...spec } })

// Pods of a ReplicaSet have no name when mutating admission refuses them: an Event that shows the refusal names the prefix.
test.each([
  [
    "ServiceAccount",
    pod({ serviceAccountName: "robot" }),
    'error looking up service account default/robot: serviceaccount "robot" not found',
  ],
  ["Priority", pod({ priorityClassName: "high" }), "no PriorityClass with name high was found"],
  ["RuntimeClass", pod({ runtimeClassName: "gvisor" }), 'pod rejected: RuntimeClass "gvisor" not found'],
])("%s refuses a pod without a name by the prefix of it", async (plugin, body, why) => {
  const api = testServer("in process", { admission: { enable: plugin === "ServiceAccount" ? [plugin] : [] } })
  const { message, details } = statusIn(await api.post("/api/v1/namespaces/default/pods", body))
  expect([message, details?.name]).toEqual([`pods "web-" is forbidden: ${why}`, "web-"])
})

test("NamespaceLifecycle refuses a pod without a name by the prefix of it", async () => {
  const api = testServer()
  await api.post("/api/v1/namespaces", { metadata: { name: "going" } })
  await api.delete("/api/v1/namespaces/going")
  const { message } = statusIn(await api.post("/api/v1/namespaces/going/pods", pod()))
  expect(message).toBe('pods "web-" is forbidden: unable to create new content in namespace going because it is being terminated')
})
