import type { ClusterTrustBundle } from "@pilothouse/api/certificates/v1beta1"
import { lazyModule } from "../../request/lazy-module.ts"
import type { ResourceStrategy } from "../resource.ts"

/** Certificates are read once a server that serves bundles is asked to keep one. */
const validation = lazyModule("validation of trust bundles", () => import("../../validation/certificates/trust-bundle.ts"))

/** The trust anchors of a signer, or of no signer, for the whole cluster. */
export const clusterTrustBundle: ResourceStrategy<ClusterTrustBundle> = {
  unconditionalUpdate: false,
  load: validation.load,
  // The name depends on the signer: `validate` checks it.
  names: () => [],
  fields: { "spec.signerName": ({ spec }) => spec.signerName ?? "" },
  validate: (bundle, old) => validation.loaded().trustBundleErrors(bundle, old),
  validateUpdate: (bundle, old) => validation.loaded().signerUpdateErrors(bundle, old),
}
