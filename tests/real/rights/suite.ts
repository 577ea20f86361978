// npm run test:real -- rights: a run in which every controller writes, on a real kube-apiserver, with exactly the rights of deploy/ and with each
// controller's own, and on ours. Nothing is refused, and each right of deploy/rbac.yaml is needed.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { controllers } from "@pilothouse/controllers"
import { type Plane, startControlPlane } from "../control-plane.ts"
import { statusIn } from "../kcm/until.ts"
import { needsKubernetes } from "../needs-kubernetes.ts"
import { startOurApiServer } from "../our-api-server.ts"
import { auditFlags, readAudit, refusals } from "../run/audit.ts"
import { statusOf } from "../run/endpoints.ts"
import { startNodes } from "../run/nodes.ts"
import { kubeconfigWithToken, type Replica, startReplica } from "../run/replica.ts"
import { grantAccess, grantTokens } from "../run/shipped-access.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import type { Group, Tally } from "../tally.ts"
import { users } from "../users.ts"
import { startRecorder } from "./recorder.ts"
import { gives, rightText, shippedRights } from "./shipped-rights.ts"
import { cluster } from "./story/cluster.ts"
import { network } from "./story/network.ts"
import { offByDefault } from "./story/off-by-default.ts"
import { storage } from "./story/storage.ts"
import { type Teller, teller } from "./story/teller.ts"
import { workloads } from "./story/workloads.ts"

export const suite: Suite = { skipReason: needsKubernetes, run }

/** What no server of upstream asks for, and why it is granted. */
const unasked: readonly (readonly [right: RegExp, why: string])[] = [
  [/^create .*\/restricted$/, "asked by servers with the plugin RestrictedEndpointsAdmission, of OpenShift"],
]

const accounts = /^system:serviceaccount:kube-system:/
const shared = "system:serviceaccount:kube-system:pilothouse"

async function run({ tally }: SuiteContext): Promise<void> {
  await onTheRealServer(tally)
  await onOurs(tally)
}

/** Kinds that are off by default, and have controllers. */
const enabledVersions = [
  "certificates.k8s.io/v1beta1",
  "internal.apiserver.k8s.io/v1alpha1",
  "resource.k8s.io/v1alpha3",
  "scheduling.k8s.io/v1alpha2",
  "storagemigration.k8s.io/v1beta1",
]
const gates = [
  "ClusterTrustBundle",
  "ClusterTrustBundleProjection",
  "DRAResourcePoolStatus",
  "GenericWorkload",
  "PodCertificateRequest",
  "StorageVersionAPI",
  "StorageVersionMigrator",
]
const enablingFlags = [
  `--runtime-config=${enabledVersions.map((version) => `${version}=true`)}`,
  `--feature-gates=${gates.map((gate) => `${gate}=true`)}`,
]

const enforcement = "OwnerReferencesPermissionEnforcement"

async function onTheRealServer(tally: Tally): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-rights-"))
  try {
    await using recorder = await startRecorder(directory)
    const apiServerFlags = [...auditFlags(directory), `--enable-admission-plugins=${enforcement}`, ...enablingFlags]
    await using plane = await startControlPlane({ authorizationConfig: recorder.configuration, apiServerFlags })
    await using _nodes = await startNodes(plane, 3)
    const kubeconfig = kubeconfigWithToken(plane, "pilothouse", await grantAccess(plane))
    await playWith(tally, plane, { name: "shared", title: "with the shipped rights", kubeconfig, flags: [] })
    const needed = recorder.needed().filter(({ user }) => user === shared)
    await tally.group("each shipped right is needed", async (group) => {
      for (const right of shippedRights("deploy/rbac.yaml")) {
        const text = rightText(right)
        const why = unasked.find(([pattern]) => pattern.test(text))?.[1]
        const isNeeded = needed.some((one) => gives(right, one))
        if (why === undefined) group.case(text, isNeeded ? undefined : `${text}: nothing needed it`)
        else group.case(`${text}, ${why}`, isNeeded ? `${text}: it is asked for, and noted as one that is not` : undefined)
      }
      group.note(`${new Set(needed.map(rightText)).size} different rights were needed`)
      const unused = shippedRights("deploy/rbac.yaml").filter((right) => !needed.some((one) => gives(right, one)))
      group.note(`without need: ${unused.map(rightText).join("; ")}`)
    })
    await grantTokens(plane)
    await playWith(tally, plane, {
      name: "own",
      title: "with each controller's own rights",
      kubeconfig,
      flags: ["--use-service-account-credentials"],
    })
    await judgeRefusals(tally, directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

async function onOurs(tally: Tally): Promise<void> {
  await using plane = await startOurApiServer({ authorizationModes: ["Node", "RBAC"], enabledPlugins: [enforcement], enabledVersions })
  await using _nodes = await startNodes(plane, 3)
  const kubeconfig = kubeconfigWithToken(plane, "pilothouse", await grantAccess(plane))
  await grantTokens(plane)
  const flags = ["--use-service-account-credentials"]
  await playWith(tally, plane, { name: "ours", title: "with each controller's own rights, on our server", kubeconfig, flags })
}

interface Played {
  readonly name: string
  readonly title: string
  readonly kubeconfig: string
  readonly flags: readonly string[]
}

const fast = [
  "--node-monitor-period=1s",
  "--node-monitor-grace-period=20s",
  "--node-startup-grace-period=2s",
  "--pvclaimbinder-sync-period=2s",
]

async function playWith(tally: Tally, plane: Plane, { name, title, kubeconfig, flags }: Played): Promise<void> {
  const all = controllers.map((controller) => controller.name)
  const given = [`--controllers=*,${all}`, "--service-account-token-for-every-account", ...fast, ...flags]
  await using replica = await startReplica(plane, { kubeconfig, name, flags: given })
  await tally.group(title, async (group) => {
    const told = teller(group, plane.client, name)
    await told.create(told.cluster("v1/namespaces"), { metadata: { name } })
    await told.until("the namespace gets its account", told.path("v1/serviceaccounts/default"), ({ status }) => status === 200)
    await Promise.all([workloads, storage, cluster, offByDefault].map((chapter) => chapter(told)))
    await network(told)
    await end(told)
    const shown = await statusOf(replica.port, "/metrics", users.admin.token)
    group.case("an administrator is shown its metrics", shown === 200 ? undefined : `found ${shown}`)
    refusalsIn(group, replica)
  })
}

async function end(told: Teller): Promise<void> {
  const path = told.cluster(`v1/namespaces/${told.namespace}`)
  await told.create(told.path("v1/configmaps"), { metadata: { name: "held", finalizers: ["example.com/held"] } })
  await told.remove(path)
  await told.until("the namespace says what it waits for", path, (answer) =>
    JSON.stringify(statusIn(answer)).includes("NamespaceFinalizersRemaining"),
  )
  await told.patch(told.path("v1/configmaps/held"), { metadata: { finalizers: null } })
  await told.until("the namespace ends", path, ({ status }) => status === 404)
}

function refusalsIn(group: Group, { complaints }: Replica): void {
  // A namespace that ends, and an account that is recreated, are no matters of rights.
  const isOfRights = (line: string) => line.includes("forbidden") && !/being terminated|error looking up service account/.test(line)
  const refused = complaints.filter(isOfRights)
  group.case("no controller was refused", refused.length === 0 ? undefined : refused.slice(0, 10).join("\n"))
}

function judgeRefusals(tally: Tally, directory: string): Promise<void> {
  return tally.group("the audit log has no refusal", async (group) => {
    const entries = readAudit(directory)
    const refused = refusals(entries, accounts)
    for (const [text, times] of refused) group.case(text, `${times} times`)
    const mine = entries.filter(({ user }) => accounts.test(user.username))
    group.case("refusals", refused.size === 0 ? undefined : `${refused.size} kinds`)
    group.note(`${mine.length} requests of ${new Set(mine.map(({ user }) => user.username)).size} accounts`)
  })
}
