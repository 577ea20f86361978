import type { ControlPlane } from "../control-plane.ts"
import { itemsIn, statusIn, until } from "../kcm/until.ts"
import type { Group } from "../tally.ts"
import { leaderOf, leasePath } from "./leader.ts"
import * as objects from "./objects.ts"
import type { Replica } from "./replica.ts"

/** Each controller as its own ServiceAccount, with upstream's roles for it and what deploy/service-account-credentials adds. */
export async function judgeAccounts(group: Group, { client: admin }: ControlPlane, replica: Replica): Promise<void> {
  await until(group, admin, { name: "it leads", path: leasePath, when: ({ value }) => leaderOf(value) === replica.port })
  await objects.createMore(admin)
  const scale = { verb: "PATCH", path: `${objects.deployments}/web/scale`, contentType: "application/merge-patch+json" } as const
  await admin.object({ ...scale, body: { spec: { replicas: 3 } } })
  await until(group, admin, {
    name: "a Deployment is scaled",
    path: `${objects.deployments}/web`,
    when: (answer) => statusIn(answer).availableReplicas === 3 && statusIn(answer).replicas === 3,
  })
  await admin.object({ verb: "DELETE", path: `${objects.statefulSets}/db` })
  await until(group, admin, {
    name: "what a StatefulSet owned is collected",
    path: "/api/v1/namespaces/default/pods",
    when: (answer) => !itemsIn(answer).some(({ metadata }) => metadata.labels?.app === "db"),
  })
  await until(group, admin, {
    name: "a claim is bound",
    path: `${objects.claims}/second`,
    when: (answer) => statusIn(answer).phase === "Bound",
  })
  await until(group, admin, {
    name: "a Service has an address",
    path: `${objects.services}/second`,
    when: (answer) => JSON.stringify(statusIn(answer)).includes('"ip"'),
  })
  await until(group, admin, {
    name: "a Job ends",
    path: `${objects.jobs}/second`,
    when: (answer) => statusIn(answer).succeeded === objects.completions,
  })
  await admin.object({ verb: "DELETE", path: `${objects.services}/second` })
  await until(group, admin, { name: "a Service goes", path: `${objects.services}/second`, when: ({ status }) => status === 404 })
  await admin.object({ verb: "DELETE", path: "/api/v1/namespaces/third" })
  await until(group, admin, { name: "a namespace goes", path: "/api/v1/namespaces/third", when: ({ status }) => status === 404 })
}
