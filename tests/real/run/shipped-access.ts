import { fileURLToPath } from "node:url"
import { Child } from "../child.ts"
import type { Plane } from "../control-plane.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** Applies deploy/rbac.yaml as a person would, and returns a token of its account. */
export async function grantAccess(plane: Plane): Promise<string> {
  await applyFile(plane, "deploy/rbac.yaml")
  const path = "/api/v1/namespaces/kube-system/serviceaccounts/pilothouse/token"
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 3600 } }
  const { status } = await plane.client.object<{ status: { token: string } }>({ verb: "POST", path, body })
  return status.token
}

/** What --use-service-account-credentials needs beyond that. */
export function grantTokens(plane: Plane): Promise<void> {
  return applyFile(plane, "deploy/service-account-credentials/rbac.yaml")
}

async function applyFile(plane: Plane, file: string): Promise<void> {
  const args = [`${root}packages/cli/bin/pilothouse.js`, "apply", "-f", `${root}${file}`, "--kubeconfig", plane.kubeconfig("admin")]
  await new Child({ name: "pilothouse apply", program: process.execPath, args }).ended
}
