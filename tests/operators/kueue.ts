import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { freePorts } from "../real/free-ports.ts"
import { hasCondition, type LooseObject, type Operator, type StoryContext } from "./operator.ts"

const kueueVersion = "kueue.x-k8s.io/v1beta1"
const system = "kueue-system"
const certificates = "kueue-webhook-server-cert"

/** Two Jobs for a quota that has room for one: the first is admitted, and the second when the first is over. */
export const kueue: Operator = {
  name: "Kueue",
  component: "kueue",
  module: "sigs.k8s.io/kueue",
  definitions: ["config/components/crd/bases"],
  without: "its webhooks: the Jobs say themselves that they are suspended",
  async story(context) {
    const { create, find, list, expect } = context
    await install(context)
    await expect("its certificates are made", () => mountCertificates(context))
    const named = (name: string) => ({ metadata: { name } })
    await create({ apiVersion: kueueVersion, kind: "ResourceFlavor", ...named("plain") })
    const flavors = [{ name: "plain", resources: [{ name: "cpu", nominalQuota: 2 }] }]
    const spec = { namespaceSelector: {}, resourceGroups: [{ coveredResources: ["cpu"], flavors }] }
    await create({ apiVersion: kueueVersion, kind: "ClusterQueue", ...named("cluster"), spec } as never)
    const local = { metadata: { name: "local", namespace: "default" }, spec: { clusterQueue: "cluster" } }
    await create({ apiVersion: kueueVersion, kind: "LocalQueue", ...local } as never)
    await expect("the ClusterQueue is Active", async () => hasCondition(await find(kueueVersion, "ClusterQueue", "cluster"), "Active"))
    await create(jobOf("first") as never)
    const workload = async (job: string): Promise<LooseObject | undefined> =>
      (await list(kueueVersion, "Workload", "default")).find(({ metadata }) => metadata.ownerReferences?.[0]?.name === job)
    await expect("the Workload of the first Job is Admitted", async () => hasCondition(await workload("first"), "Admitted"))
    await create(jobOf("second") as never)
    await expect(
      "the second waits or is Admitted after it",
      async () => hasCondition(await workload("second"), "QuotaReserved", "False") || hasCondition(await workload("second"), "Admitted"),
    )
    for (const name of ["first", "second"]) {
      await expect(`the ${name} Job completes`, async () => hasCondition(await find("batch/v1", "Job", `default/${name}`), "Complete"))
      await expect(`the Workload of the ${name} is Finished`, async () => hasCondition(await workload(name), "Finished"))
    }
  },
}

async function install({ directory, kubeconfig, create, start }: StoryContext): Promise<void> {
  const [webhooks, health] = await freePorts(2)
  const configuration = {
    apiVersion: "config.kueue.x-k8s.io/v1beta1",
    kind: "Configuration",
    namespace: system,
    health: { healthProbeBindAddress: `127.0.0.1:${health}` },
    metrics: { bindAddress: "0" },
    webhook: { host: "127.0.0.1", port: webhooks, certDir: certificateFolder(directory) },
    leaderElection: { leaderElect: false },
    internalCertManagement: { enable: true, webhookServiceName: "kueue-webhook-service", webhookSecretName: certificates },
    integrations: { frameworks: ["batch/job"] },
    // Serves an API of its own, which has to be aggregated.
    featureGates: { VisibilityOnDemand: false },
  }
  const path = join(directory, "configuration.yaml")
  writeFileSync(path, JSON.stringify(configuration))
  await create({ apiVersion: "v1", kind: "Namespace", metadata: { name: system } })
  await create({ apiVersion: "v1", kind: "Secret", metadata: { name: certificates, namespace: system } })
  start({ args: [`--config=${path}`, "--zap-log-level=error"], environment: { KUBECONFIG: kubeconfig } })
}

function certificateFolder(directory: string): string {
  return join(directory, "certificates")
}

/** Writes the Secret into the folder where its pod would have it mounted. */
async function mountCertificates({ directory, find }: StoryContext): Promise<boolean> {
  const { data = {} } = (await find("v1", "Secret", `${system}/${certificates}`)) ?? {}
  mkdirSync(certificateFolder(directory), { recursive: true })
  for (const [file, content] of Object.entries(data))
    writeFileSync(join(certificateFolder(directory), file), Buffer.from(content, "base64"))
  return data["tls.crt"] !== undefined
}

function jobOf(name: string): object {
  const container = { name: "work", image: "busybox", command: ["sleep", "2"], resources: { requests: { cpu: "2" } } }
  const metadata = { name, namespace: "default", labels: { "kueue.x-k8s.io/queue-name": "local" } }
  const template = { spec: { restartPolicy: "Never", containers: [container] } }
  return { apiVersion: "batch/v1", kind: "Job", metadata, spec: { suspend: true, template } }
}
