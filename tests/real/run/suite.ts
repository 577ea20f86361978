// npm run test:real -- run: two replicas of `pilothouse run` on a real kube-apiserver and etcd, with exactly the rights of deploy/.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type ControlPlane, startControlPlane } from "../control-plane.ts"
import { itemsIn, statusIn, until } from "../kcm/until.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group, Tally } from "../tally.ts"
import { judgeAccounts } from "./as-accounts.ts"
import { auditFlags, readAudit } from "./audit.ts"
import { judgeEndpoints, judgeExplain } from "./endpoints.ts"
import { judgeAccess, judgeMade } from "./judge-audit.ts"
import { takeOver } from "./leader.ts"
import { startNodes } from "./nodes.ts"
import * as objects from "./objects.ts"
import { kubeconfigWithToken, type Replica, startReplica } from "./replica.ts"
import { grantAccess, grantTokens } from "./shipped-access.ts"

export const suite: Suite = {
  skipReason: needsKubernetes,
  run,
}

async function run({ tally }: SuiteContext): Promise<void> {
  const record = mkdtempSync(join(tmpdir(), "pilothouse-audit-"))
  try {
    await using plane = await startControlPlane({ apiServerFlags: auditFlags(record) })
    await using _nodes = await startNodes(plane, 3)
    const kubeconfig = kubeconfigWithToken(plane, "pilothouse", await grantAccess(plane))
    await together(tally, plane, kubeconfig)
    await judgeMade(tally, readAudit(record))
    await grantTokens(plane)
    await using alone = await startReplica(plane, { kubeconfig, name: "accounts", flags: ["--use-service-account-credentials"] })
    await tally.group("each controller as its own account", async (group) => {
      await judgeAccounts(group, plane, alone)
      complaints(group, [alone])
    })
    await judgeAccess(tally, readAudit(record))
  } finally {
    rmSync(record, { recursive: true, force: true })
  }
}

/** Two replicas; the leader dies in the middle. */
async function together(tally: Tally, plane: ControlPlane, kubeconfig: string): Promise<void> {
  const { client: admin } = plane
  await using first = await startReplica(plane, { kubeconfig, name: "first" })
  await tally.group("one of two leads", async (group) => {
    await until(group, admin, account)
    await judgeEndpoints(group, plane, first)
  })
  await using second = await startReplica(plane, { kubeconfig, name: "second" })
  await tally.group("the leader is killed in the middle", async (group) => {
    await admin.object({ verb: "POST", path: objects.deployments, body: objects.web(1) })
    await until(group, admin, rolledOut("the first template", 1))
    await objects.createDoomed(admin)
    await until(group, admin, {
      name: "doomed has pods",
      path: "/api/v1/namespaces/doomed/pods",
      when: (answer) => itemsIn(answer).length === 2,
    })
    await objects.createEverything(admin)
    await rollOut(plane)
    await admin.object({ verb: "DELETE", path: "/api/v1/namespaces/doomed" })
    await until(group, admin, {
      name: "the rollout has begun",
      path: `${objects.deployments}/web`,
      when: (answer) => statusIn(answer).observedGeneration === 2 && Number(statusIn(answer).updatedReplicas) > 0,
    })
    await takeOver(group, plane, first, second)
  })
  await tally.group("the other ends what was begun", async (group) => {
    await everythingIsThere(group, plane)
    await judgeExplain(group, plane, "deployment/web")
  })
  await tally.group("what the replicas complain of", async (group) => complaints(group, [first, second]))
}

const account = {
  name: "it makes the namespace's account",
  path: "/api/v1/namespaces/default/serviceaccounts/default",
  when: ({ status }: { readonly status: number }) => status === 200,
}

async function everythingIsThere(group: Group, { client: admin }: ControlPlane): Promise<void> {
  await until(group, admin, rolledOut("the rollout ends", 2))
  await until(group, admin, {
    name: "the Job ends",
    path: `${objects.jobs}/sums`,
    when: (answer) => statusIn(answer).succeeded === objects.completions,
  })
  await until(group, admin, {
    name: "the StatefulSet is ready",
    path: `${objects.statefulSets}/db`,
    when: (answer) => statusIn(answer).availableReplicas === 4,
  })
  await until(group, admin, {
    name: "the claim is bound",
    path: `${objects.claims}/data`,
    when: (answer) => statusIn(answer).phase === "Bound",
  })
  await until(group, admin, {
    name: "the autoscaler scales by metrics",
    path: `${objects.deployments}/busy`,
    when: (answer) => statusIn(answer).availableReplicas === 4,
  })
  await until(group, admin, {
    name: "the Service has an address",
    path: `${objects.services}/web`,
    when: (answer) => JSON.stringify(statusIn(answer)).includes('"ip"'),
  })
  await until(group, admin, { name: "the namespace is gone", path: "/api/v1/namespaces/doomed", when: ({ status }) => status === 404 })
}

function rolledOut(name: string, generation: number) {
  return {
    name,
    path: `${objects.deployments}/web`,
    when: (answer: Parameters<typeof statusIn>[0]) => {
      const status = statusIn(answer)
      const counts = [status.replicas, status.updatedReplicas, status.availableReplicas]
      return Number(status.observedGeneration) >= generation && counts.every((count) => count === objects.replicas)
    },
  }
}

function rollOut({ client }: ControlPlane): Promise<unknown> {
  const body = { spec: { template: { spec: { containers: [{ name: "app", image: "example/web:2" }] } } } }
  return client.object({ verb: "PATCH", path: `${objects.deployments}/web`, contentType: "application/strategic-merge-patch+json", body })
}

/** Two controllers that write one object at once, and a namespace that ends while they work: the slower one tries again. */
const defaultComplaints = /object has been modified|being terminated|not found|already exists/

function complaints(group: Group, replicas: readonly Replica[]): void {
  const lines = replicas.flatMap((replica) => replica.complaints)
  const unusual = lines.filter((line) => !defaultComplaints.test(line))
  group.case("nothing unusual", unusual.length === 0 ? undefined : unusual.slice(0, 10).join("\n"))
  group.note(`${lines.length} warnings, ${unusual.length} of them unusual`)
}
