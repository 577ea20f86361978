import { freeQuotas, type KuryrConfiguration, type OpenStack } from "@pilothouse/openstack"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { type Finding, note, ok, problem } from "../../doctor/check.ts"

export interface CloudChecks {
  readonly cloud: OpenStack
  readonly configuration: KuryrConfiguration
  /** The kuryr.conf that was found by itself: what `up --openstack` left here. */
  readonly foundHere?: string
  readonly signal: AbortSignal
}

/** Whether we get in, what is there, and whether it is enough. Without a token nothing else can be asked. */
export async function checkAccess({ cloud, configuration, foundHere, signal }: CloudChecks): Promise<readonly Finding[]> {
  try {
    const { user, project, roles } = await cloud.identity.token({ signal })
    const found = ok("credentials", `${user.name} in project ${project?.name ?? "(none)"}, as ${roles.join(", ")}`)
    const catalog = await Promise.all(["network", "load-balancer"].map((type) => checkEndpoint({ cloud, configuration, signal }, type)))
    return [found, checkProject(configuration, project), ...catalog]
  } catch (error) {
    if (foundHere !== undefined && error instanceof PilothouseError && error.code === "CONNECTION_LOST") return [stopped(foundHere)]
    const advice = "compare auth_url, user, password and project with your openrc or clouds.yaml; `openstack token issue` has to work"
    return [problem("credentials", messageOf(error), advice)]
  }
}

function stopped(file: string): Finding {
  const advice = "start it again, remove the file, or name another cloud with --config-file or --os-cloud"
  return problem("credentials", `${file} leads to the cloud of an \`up --openstack\` that no longer runs`, advice)
}

/** Ports of another project are invisible to whoever lists those of the configured one. */
function checkProject({ project: wanted }: KuryrConfiguration, found: { readonly id: string; readonly name: string } | undefined): Finding {
  if (found?.id === wanted) return ok("project", `${found.name} (${wanted})`)
  const advice = "set [neutron_defaults] project to the ID of the credentials' project, unless they are an administrator's"
  return note("project", `[neutron_defaults] project is ${wanted}, the credentials are of ${found?.id ?? "none"}`, advice)
}

async function checkEndpoint({ cloud, signal }: CloudChecks, type: string): Promise<Finding> {
  try {
    return ok(`catalog: ${type}`, await cloud.identity.endpoint(type, { signal }))
  } catch (error) {
    return problem(
      `catalog: ${type}`,
      messageOf(error),
      `ask your operator for the service, or set ${type.replace("-", "_")}_endpoint_override`,
    )
  }
}

/** What the handlers use that older services do not have. */
export async function checkVersions({ cloud, configuration, signal }: CloudChecks): Promise<readonly Finding[]> {
  return Promise.all([neutronFinding({ cloud, configuration, signal }), octaviaFinding({ cloud, configuration, signal })])
}

async function neutronFinding({ cloud, configuration, signal }: CloudChecks): Promise<Finding> {
  try {
    const there = await cloud.neutron.extensions({ signal })
    const needed = configuration.podVifDriver === "nested-vlan" ? ["security-group", "trunk"] : ["security-group"]
    const missing = needed.filter((alias) => !there.has(alias))
    if (missing.length === 0) return ok("Neutron", `${there.size} extensions, ${needed.join(" and ")} among them`)
    return problem("Neutron", `without ${missing.join(", ")}`, "enable the service plugin, or choose another pod_vif_driver")
  } catch (error) {
    return problem("Neutron", messageOf(error), "see whether `openstack extension list --network` answers")
  }
}

async function octaviaFinding({ cloud, signal }: CloudChecks): Promise<Finding> {
  try {
    if (cloud.octavia.flavour === "neutron-lbaas")
      return note("load balancing", "neutron-lbaas", "it is retired: trees are made step by step; move to Octavia")
    const minor = await cloud.octavia.minorVersion({ signal })
    const lacks = [
      [5, "tags, by which load balancers are found again"],
      [12, "source ranges"],
    ].flatMap(([from, what]) => (minor < Number(from) ? [String(what)] : []))
    if (lacks.length === 0) return ok("Octavia", `v2.${minor}`)
    return note("Octavia", `v2.${minor}, without ${lacks.join(" and ")}`, "upgrade Octavia to Train or newer")
  } catch (error) {
    return problem("Octavia", messageOf(error), "see whether `openstack loadbalancer list` answers")
  }
}

/** Fewer than this left is worth a word before pods have to wait. */
const few = 10

/** As OpenStack's own client takes it, whose names are others than those of the API; the project comes last, and may not be left out. */
const raising: Readonly<Record<string, string>> = {
  floatingip: "quota set --floating-ips",
  security_group: "quota set --secgroups",
  security_group_rule: "quota set --secgroup-rules",
  load_balancer: "loadbalancer quota set --loadbalancer",
}

export async function checkQuotas({ cloud, configuration, signal }: CloudChecks): Promise<readonly Finding[]> {
  try {
    const all = await freeQuotas(cloud, configuration.project, signal)
    return all.map(({ resource, limit, free }) => {
      const what = `quota: ${resource}`
      if (free === undefined) return ok(what, "no limit")
      const found = `${free} of ${limit} left`
      const advice = `remove what is not needed ("pilothouse openstack orphans"), or have it raised: openstack ${raising[resource] ?? `quota set --${resource}s`} N ${configuration.project}`
      if (free === 0) return problem(what, found, advice)
      return free < few ? note(what, found, advice) : ok(what, found)
    })
  } catch (error) {
    return [problem("quota", messageOf(error), "the project may have to be read by its own user or an administrator")]
  }
}
