import { spawn } from "node:child_process"
import { openSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import type { KubeObject } from "@pilothouse/api"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { freePorts } from "../../tests/real/free-ports.ts"
import { users } from "../../tests/real/users.ts"
import { binary } from "../../tools/components/index.ts"
import type { Lab } from "./lab.ts"
import { MeasuredProcess } from "./measured-process.ts"

type Sections = Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>

/** Where it is, with its custom resources beside it; undefined: npm run components -- kuryr gets it. */
export function findKuryr(): string | undefined {
  const python = binary("kuryr", "python-kuryr")
  return python && dirname(python)
}

/** Once per API server. */
export async function defineKuryrResources(directory: string, { client }: Lab): Promise<void> {
  for (const one of JSON.parse(readFileSync(join(directory, "crds.json"), "utf8")) as KubeObject[])
    await client.create(customResourceDefinitions, one as never)
}

/** The real controller as a process of its own, on the API server and the cloud of a lab. */
export class Kuryr extends MeasuredProcess {
  static async start(directory: string, lab: Lab, sections: Sections): Promise<Kuryr> {
    const at = (name: string) => join(lab.directory, name)
    writeFileSync(at("kuryr.token"), users.admin.token, { mode: 0o600 })
    writeFileSync(at("kuryr.ca"), lab.server.ca)
    writeFileSync(at("kuryr.conf"), ini(await configuration(lab, at, sections)))
    const log = openSync(at("log/kuryr.log"), "a")
    const words = ["--config-file", at("kuryr.conf")]
    const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_PROXY: "127.0.0.1", no_proxy: "127.0.0.1" }
    const child = spawn(join(directory, "kuryr-k8s-controller"), words, { stdio: ["ignore", log, log], env })
    return new Kuryr(child, "SIGKILL")
  }
}

async function configuration(lab: Lab, at: (name: string) => string, more: Sections): Promise<Sections> {
  const { facts, server } = lab
  const [health = 0, metrics = 0] = await freePorts(2)
  const domains = { user_domain_id: "default", project_domain_id: "default" }
  return {
    DEFAULT: { use_stderr: true },
    oslo_concurrency: { lock_path: at("lock") },
    neutron: {
      auth_type: "password",
      auth_url: facts.OS_AUTH_URL ?? "",
      username: facts.OS_USERNAME ?? "",
      password: facts.OS_PASSWORD ?? "",
      project_name: facts.OS_PROJECT_NAME ?? "",
      region_name: facts.OS_REGION_NAME ?? "",
      ...domains,
    },
    neutron_defaults: {
      project: lab.project,
      pod_subnet: lab.podSubnet,
      service_subnet: lab.serviceSubnet,
      pod_security_groups: facts.POD_SECURITY_GROUP ?? "",
      ovs_bridge: "br-int",
    },
    health_server: { port: health },
    prometheus_exporter: { controller_exporter_port: metrics },
    ...more,
    kubernetes: {
      api_root: server.url,
      ssl_ca_crt_file: at("kuryr.ca"),
      ssl_verify_server_crt: true,
      token_file: at("kuryr.token"),
      ...more.kubernetes,
    },
  }
}

function ini(sections: Sections): string {
  const lines = Object.entries(sections).map(([name, values]) => [
    `[${name}]`,
    ...Object.entries(values).map(([key, value]) => `${key} = ${value}`),
  ])
  return `${lines.flat().join("\n")}\n`
}
