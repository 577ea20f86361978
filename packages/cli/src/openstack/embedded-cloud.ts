import { namespaces, type Pod } from "@pilothouse/api/core/v1"
import { EmbeddedOpenStack, kuryr, openStack, podAddress, readKuryrConf, serveOpenStack } from "@pilothouse/openstack"
import { type Controller, createClient, type HealthCheck } from "@pilothouse/runtime"
import type { Clock, Log, Metrics, Random, Transport } from "@pilothouse/seams"
import { objectChecks } from "./object-checks.ts"

export interface EmbeddedCloudOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: Metrics
  /** To the API server of the cluster. */
  readonly transport: Transport
  /** Where that server's Services get their addresses from. */
  readonly serviceRange: string
}

/** Disposing closes its port. */
export interface EmbeddedCloud extends AsyncDisposable {
  readonly controllers: readonly Controller[]
  checks(): readonly HealthCheck[]
  /** What simulated kubelets go by: a pod runs when its VIF is active. */
  readonly network: (pod: Pod) => ReturnType<typeof podAddress>
  /** Where other programs log in. */
  readonly authUrl: string
  /** A kuryr.conf that leads to it: what its own handlers go by, with the credentials. */
  readonly kuryrConf: string
  /** The same credentials for `openstack` and the SDKs. */
  readonly cloudsYaml: string
}

/** Keystone, Neutron and Octavia in this process, and the handlers that make pods and Services of them. */
export async function startEmbeddedCloud(options: EmbeddedCloudOptions): Promise<EmbeddedCloud> {
  const { clock, random, log, metrics, transport, serviceRange } = options
  // Its calls are not read, and it may run for weeks.
  const cloud = new EmbeddedOpenStack({ clock, random, keepCalls: 0 })
  await using starting = new AsyncDisposableStack()
  const served = starting.use(await serveOpenStack(cloud))
  const kuryrConf = confOf(cloud, served.authUrl, serviceRange)
  // One that has just begun: no other program can have made it.
  const { metadata } = await createClient(transport).get(namespaces, "kube-system")
  const { controllers, checks } = kuryr({
    cloud: openStack({ access: cloud.access(), connect: cloud.connect, clock }),
    configuration: readKuryrConf(kuryrConf),
    cluster: metadata.uid ?? "",
    clock,
    random,
    log,
    metrics,
  })
  const cloudsYaml = cloudsOf(cloud, served.authUrl)
  const running = starting.move()
  const close = () => running.disposeAsync()
  return {
    controllers,
    checks: () => objectChecks(checks()),
    network: podAddress,
    authUrl: served.authUrl,
    kuryrConf,
    cloudsYaml,
    [Symbol.asyncDispose]: close,
  }
}

function confOf(cloud: EmbeddedOpenStack, authUrl: string, serviceRange: string): string {
  const { seed } = cloud
  const { name, password } = seed.user
  const sections = {
    neutron: {
      auth_url: authUrl,
      auth_type: "password",
      username: name,
      password,
      project_name: seed.projectName,
      user_domain_id: "default",
      project_domain_id: "default",
      region_name: "RegionOne",
    },
    neutron_defaults: {
      project: seed.project,
      pod_subnet: seed.podSubnet,
      service_subnet: cloud.serviceSubnet(serviceRange),
      pod_security_groups: seed.podSecurityGroup,
      external_svc_net: seed.publicNetwork,
    },
  }
  const texts = Object.entries(sections).map(
    ([section, values]) =>
      `[${section}]\n${Object.entries(values)
        .map(([option, value]) => `${option} = ${value}\n`)
        .join("")}`,
  )
  return texts.join("\n")
}

/** JSON is YAML. */
function cloudsOf({ seed }: EmbeddedOpenStack, authUrl: string): string {
  const { name: username, password } = seed.user
  const domains = { user_domain_id: "default", project_domain_id: "default" }
  const auth = { auth_url: authUrl, username, password, project_name: seed.projectName, ...domains }
  return `${JSON.stringify({ clouds: { pilothouse: { auth, region_name: "RegionOne" } } }, undefined, 2)}\n`
}
