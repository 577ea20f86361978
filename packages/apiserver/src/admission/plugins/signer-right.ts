import type { Identity } from "../../authentication/identity.ts"
import type { Authorizer } from "../../authorization/authorizer.ts"

/** Reports whether a user may do something for a signer. The right names the signer, or all of its domain: "example.com/*". */
export async function mayActForSigner(
  authorizer: Authorizer,
  identity: Identity,
  verb: "approve" | "attest" | "sign",
  signerName: string,
): Promise<boolean> {
  const right = { verb, group: "certificates.k8s.io", version: "*", resource: "signers", subresource: "", namespace: "" }
  for (const name of [signerName, `${signerName.split("/")[0]}/*`]) {
    if ((await authorizer.authorize(identity, { ...right, name })).allowed) return true
  }
  return false
}
