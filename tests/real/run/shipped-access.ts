import { fileURLToPath } from "node:url"
import { Child } from "../child.ts"
import type { ControlPlane } from "../control-plane.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** Applies deploy/rbac.yaml as a person would, and gives a token of its account. */
export async function grantAccess(plane: ControlPlane): Promise<string> {
  const args = [
    `${root}packages/cli/bin/pilothouse.js`,
    "apply",
    "-f",
    `${root}deploy/rbac.yaml`,
    "--kubeconfig",
    plane.kubeconfig("admin"),
  ]
  const child = new Child({ name: "pilothouse apply", program: process.execPath, args })
  await child.ended
  const path = "/api/v1/namespaces/kube-system/serviceaccounts/pilothouse/token"
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } }
  const { status } = await plane.client.object<{ status: { token: string } }>({ verb: "POST", path, body })
  return status.token
}
