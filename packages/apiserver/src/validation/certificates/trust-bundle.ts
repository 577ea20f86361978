import { type FieldError, fieldError } from "@pilothouse/api"
import type { ClusterTrustBundle } from "@pilothouse/api/certificates/v1beta1"
import { type PemBlock, parseCertificate, pemBlocks } from "@pilothouse/api/x509"
import { immutable } from "../field-rules.ts"
import { signerNameErrors } from "./signer-name.ts"
import { checkTrustBundleName } from "./trust-bundle-name.ts"

const largest = 1024 * 1024
/** A bundle may be long, and its beginning says nothing: messages leave it out. */
const omitted = "<value omitted>"

/** Returns what is wrong with a ClusterTrustBundle. Anchors that an update leaves as they were are not read again. */
export function trustBundleErrors({ metadata, spec }: ClusterTrustBundle, old?: ClusterTrustBundle): readonly FieldError[] {
  const { signerName = "", trustBundle } = spec
  const check = checkTrustBundleName(signerName)
  const named = (field: string, name: string, prefix: boolean) =>
    name === "" ? [] : check(name, { prefix }).map((text) => fieldError.invalid(field, name, text))
  return [
    ...named("metadata.generateName", metadata.generateName ?? "", true),
    ...named("metadata.name", metadata.name ?? "", false),
    ...(signerName === "" ? [] : signerNameErrors(signerName, "spec.signerName")),
    ...(old !== undefined && old.spec.trustBundle === trustBundle ? [] : anchorErrors(trustBundle, "spec.trustBundle")),
  ]
}

/** A bundle stays with its signer: its name says it. */
export function signerUpdateErrors({ spec }: ClusterTrustBundle, { spec: old }: ClusterTrustBundle): readonly FieldError[] {
  return immutable(spec.signerName ?? "", old.signerName ?? "", "spec.signerName")
}

function anchorErrors(text: string, field: string): readonly FieldError[] {
  if (Buffer.byteLength(text) > largest) return [fieldError.tooLong(field, largest)]
  const { blocks } = pemBlocks(text)
  const invalid = (detail: string) => fieldError.invalid(field, omitted, detail)
  const faults = blocks.flatMap((block, index) => {
    const fault = blockFault(block)
    return fault === undefined ? [] : [invalid(`entry ${index} ${fault}`)]
  })
  if (faults.length > 0) return faults
  if (blocks.length === 0) return [invalid("at least one trust anchor must be provided")]
  return [...placesOf(blocks).values()]
    .filter((indices) => indices.length > 1)
    .map((indices) => invalid(`duplicate trust anchor (indices [${indices.join(" ")}])`))
}

function placesOf(blocks: readonly PemBlock[]): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>()
  blocks.forEach(({ bytes }, index) => {
    const key = Buffer.from(bytes).toString("latin1")
    const known = places.get(key)
    if (known === undefined) places.set(key, [index])
    else known.push(index)
  })
  return places
}

/** Returns why a block is no trust anchor. */
function blockFault({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `has bad block type: ${type}`
  if (hasHeaders) return "has PEM block headers"
  try {
    return parseCertificate(bytes).isAuthority ? undefined : "does not have the CA bit set"
  } catch {
    // Whatever a client sends that is no certificate is the same to it.
    return "does not parse as X.509"
  }
}
