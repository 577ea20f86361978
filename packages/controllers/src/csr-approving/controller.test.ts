import { certificateSigningRequests } from "@pilothouse/api/certificates/v1"
import { cluster, crashPoints } from "@pilothouse/testing"
import { expect, test } from "vitest"
import { signerNames } from "../certificates/kubelet-request.ts"
import { kubeletRequest, signingRequest } from "../certificates/testing/requests.ts"

const only = { nodes: 0, controllers: ["csrapproving"] }
const usages = ["digital signature", "key encipherment", "client auth"]
const request = signingRequest({ name: "join", pem: kubeletRequest, usages, signerName: signerNames.kubeletClient })
const bind = (name: string, group: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
  subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }],
})
const role = "system:certificates.k8s.io:certificatesigningrequests"

test("a node that joins is approved once its group may request certificates of nodes", async () => {
  await using running = await cluster({ ...only, rbac: true })
  await running.apply(bind("system:node-bootstrapper", "system:bootstrappers"))
  const joining = running.as({ name: "system:bootstrap:abcdef", groups: ["system:bootstrappers"] })
  await joining.create(certificateSigningRequests, request)
  const conditions = async () => (await running.client.get(certificateSigningRequests, "join")).status?.conditions
  await running.advance("1m")
  expect(await conditions()).toBeUndefined()
  await running.apply(bind(`${role}:nodeclient`, "system:bootstrappers"))
  await running.advance("2m")
  expect(await conditions()).toMatchObject([
    { type: "Approved", reason: "AutoApproved", message: "Auto approving kubelet client certificate after SubjectAccessReview." },
  ])
})

test("a kubelet that renews is approved by its own right, without that for other nodes", async () => {
  await using running = await cluster({ ...only, rbac: true })
  await running.apply([bind("system:node-bootstrapper", "system:nodes"), bind(`${role}:selfnodeclient`, "system:nodes")])
  await running.as({ name: "system:node:a", groups: ["system:nodes"] }).create(certificateSigningRequests, request)
  const other = { ...request, metadata: { name: "other" } }
  // Another node would be refused by the NodeRestriction admission plugin.
  await running.as({ name: "proxy", groups: ["system:nodes"] }).create(certificateSigningRequests, other)
  await running.settled()
  const [join, refused] = await running.list(certificateSigningRequests)
  expect(join?.status?.conditions).toMatchObject([{ message: "Auto approving self kubelet client certificate after SubjectAccessReview." }])
  expect(refused?.status).toEqual({})
})

test("a crash at any call ends the same", async () => {
  const report = await crashPoints(
    {
      cluster: only,
      async run(running) {
        await running.apply(request)
        await running.advance("60s")
      },
    },
    { sample: 6, seed: 3, writers: ["certificatesigningrequest-approving-controller"] },
  )
  expect(report.tried).toBeGreaterThan(0)
})
