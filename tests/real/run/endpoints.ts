import { request } from "node:https"
import { fileURLToPath } from "node:url"
import { Child } from "../child.ts"
import type { ControlPlane } from "../control-plane.ts"
import type { Group } from "../tally.ts"
import { users } from "../users.ts"
import type { Replica } from "./replica.ts"

/** `pilothouse explain` finds the leader by its Lease, and receives its trace. */
export async function judgeExplain(group: Group, plane: ControlPlane, object: string): Promise<void> {
  const lines: string[] = []
  const args = [launcher, "explain", object, "--kubeconfig", plane.kubeconfig("admin")]
  await new Child({ name: "pilothouse explain", program: process.execPath, args, onLine: (line) => lines.push(line) }).ended
  const text = lines.join("\n")
  const isHistory = text.includes("deployment-controller") && !text.includes("nothing written")
  group.case("explain tells the leader's history", isHistory ? undefined : text)
}

const launcher = fileURLToPath(new URL("../../../packages/cli/bin/pilothouse.js", import.meta.url))

/** Health is for every client, metrics for those that the API server authorizes. */
export async function judgeEndpoints(group: Group, plane: ControlPlane, { port }: Replica): Promise<void> {
  const unprivileged = await plane.client.object<{ status: { token: string } }>({
    verb: "POST",
    path: "/api/v1/namespaces/default/serviceaccounts/default/token",
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
  })
  const rows: readonly [name: string, path: string, token: string | undefined, status: number][] = [
    ["health needs no token", "/healthz", undefined, 200],
    ["metrics need one", "/metrics", undefined, 401],
    ["an administrator may see them", "/metrics", users.admin.token, 200],
    ["an account without the right may not", "/metrics", unprivileged.status.token, 403],
  ]
  for (const [name, path, token, expected] of rows) {
    const found = await statusOf(port, path, token)
    group.case(name, found === expected ? undefined : `expected ${expected}, found ${found}`)
  }
}

/** The status that a path of a replica's port is answered with. */
export function statusOf(port: number, path: string, token: string | undefined): Promise<number> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, headers, rejectUnauthorized: false }, (response) => {
      response.resume()
      response.once("end", () => resolve(response.statusCode ?? 0))
    })
    sent.once("error", reject).end()
  })
}
