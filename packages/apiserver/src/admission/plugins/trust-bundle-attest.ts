import { type KubeObject, quoted } from "@pilothouse/api"
import type { ClusterTrustBundle } from "@pilothouse/api/certificates/v1beta1"
import { changesGarbageCollectionOnly } from "../../authorization/rbac/escalation.ts"
import { type AdmissionPlugin, refusal } from "../plugin.ts"
import { mayActForSigner } from "./signer-right.ts"

/** A user writes trust anchors only of signers that it may `attest` for: a pod that verifies with them believes all that the signer's authority signs. */
export const clusterTrustBundleAttest: AdmissionPlugin = {
  name: "ClusterTrustBundleAttest",
  async validate(attributes) {
    const { operation, object, old, identity, server } = attributes
    if (operation !== "CREATE" && operation !== "UPDATE") return
    const { signerName = "" } = (object as unknown as ClusterTrustBundle).spec
    if (signerName === "") return
    if (old !== undefined && changesGarbageCollectionOnly(object as KubeObject, old)) return
    if (await mayActForSigner(server.authorizer, identity, "attest", signerName)) return
    throw refusal(attributes, `user not permitted to attest for signerName ${quoted(signerName)}`)
  },
}
