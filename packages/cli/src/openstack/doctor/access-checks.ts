import { isRefusal, type KuryrConfiguration } from "@pilothouse/openstack"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { type Finding, note, ok, problem } from "../../doctor/check.ts"
import { type CloudChecks, ofNeutron, ofOctavia } from "./cloud-checks.ts"

/** What cannot be asked without a token. */
export const ofCloud = ["project", "catalog", "Neutron", "Octavia", ...ofNeutron, ...ofOctavia]

/** Reports whether we get in, what is there, and whether it is enough. Without a token nothing else can be asked. */
export async function checkAccess({ cloud, configuration, foundHere, signal }: CloudChecks): Promise<readonly Finding[]> {
  try {
    const { user, project, roles } = await cloud.keystone.token({ signal })
    const found = ok("credentials", `${user.name} in project ${project?.name ?? "(none)"}, as ${roles.join(", ")}`)
    const types = cloud.octavia.flavour === "neutron-lbaas" ? (["network"] as const) : (["network", "load-balancer"] as const)
    const catalog = await Promise.all(types.map((type) => checkEndpoint({ cloud, configuration, signal }, type)))
    return [found, checkProject(configuration, project), ...catalog]
  } catch (error) {
    if (foundHere !== undefined && error instanceof PilothouseError && error.code === "CONNECTION_LOST") return [stopped(foundHere)]
    return [
      problem(
        "credentials",
        messageOf(error),
        `${comparing(error)} with your openrc or clouds.yaml; \`openstack token issue\` has to work`,
      ),
    ]
  }
}

/** Refused credentials mean that a Keystone was reached; without one, passwords need no check. */
function comparing(error: unknown): string {
  const isLogin = isRefusal(error, "unauthorized", "forbidden", "invalid")
  const isElsewhere =
    isRefusal(error, "not-found") || (error instanceof PilothouseError && ["CONNECTION_LOST", "TIMEOUT"].includes(error.code))
  if (isElsewhere) return "compare auth_url"
  return isLogin ? "compare user, password, project and the domains of both" : "compare auth_url, user, password and project"
}

function stopped(file: string): Finding {
  const advice = "start it again, remove the file, or name another cloud with --config-file or --os-cloud"
  return problem("credentials", `${file} leads to the cloud of an \`up --openstack\` that no longer runs`, advice)
}

/** Ports of another project are invisible in a list of those of the configured one. */
function checkProject({ project: wanted }: KuryrConfiguration, found: { readonly id: string; readonly name: string } | undefined): Finding {
  if (found?.id === wanted) return ok("project", `${found.name} (${wanted})`)
  const advice = "set [neutron_defaults] project to the ID of the credentials' project, unless they are an administrator's"
  return note("project", `[neutron_defaults] project is ${wanted}, the credentials are of ${found?.id ?? "none"}`, advice)
}

async function checkEndpoint({ cloud, signal }: CloudChecks, type: "network" | "load-balancer"): Promise<Finding> {
  const what = `catalog: ${type}`
  try {
    return ok(what, await cloud.keystone.endpoint(type, { signal }))
  } catch (error) {
    const override = `${type.replace("-", "_")}_endpoint_override`
    const advice = `\`openstack catalog show ${type}\` has what there is; where there is none, ask your operator for the service, or set ${override}`
    const notMade = type === "network" ? ["Neutron", ...ofNeutron] : ["Octavia", ...ofOctavia]
    return { ...problem(what, messageOf(error), advice), notMade }
  }
}
