import { type DerValue, derInside, derName, derTags, derText } from "./der.ts"
import { derIdentifier, derSequence, derSet, derString } from "./der-writer.ts"

/** The name of a certificate's owner or issuer: the values of each attribute, by its identifier. */
export interface Subject {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** Country, unit, locality and so on. */
  readonly others?: Readonly<Record<string, readonly string[]>>
}

const commonName = "2.5.4.3"
const organization = "2.5.4.10"
const serialNumber = "2.5.4.5"

/** The attributes that Go writes, in its order: country, organization, unit, locality, province, street, postal code, common name, serial number. */
const order = ["2.5.4.6", organization, "2.5.4.11", "2.5.4.7", "2.5.4.8", "2.5.4.9", "2.5.4.17", commonName, serialNumber]

/** Reads a name. Of several common names the last counts, as in Go. */
export function parseSubject(name: DerValue | undefined): Subject {
  const values = new Map<string, string[]>()
  for (const attribute of derInside(name).flatMap((set) => derInside(set, derTags.set))) {
    const [type, value] = derInside(attribute)
    if (type?.tag !== derTags.name || value === undefined) continue
    const known = values.get(derName(type.content))
    if (known === undefined) values.set(derName(type.content), [derText(value)])
    else known.push(derText(value))
  }
  const others = [...values].filter(([type]) => type !== commonName && type !== organization)
  return {
    commonName: values.get(commonName)?.at(-1) ?? "",
    organizations: values.get(organization) ?? [],
    ...(others.length > 0 && { others: Object.fromEntries(others) }),
  }
}

/** Writes a name as Go does: attributes in a fixed order, the values of one attribute in one set, unknown attributes left out. */
export function derSubject({ commonName: name, organizations, others = {} }: Subject): Uint8Array {
  const values: Readonly<Record<string, readonly string[]>> = {
    ...others,
    [commonName]: name === "" ? [] : [name],
    [organization]: organizations,
  }
  return derSequence(
    ...order.flatMap((type) => {
      const written = (values[type] ?? []).map((value) => derSequence(derIdentifier(type), derString(value)))
      // Go keeps the last serial number only.
      return written.length === 0 ? [] : [derSet(...(type === serialNumber ? written.slice(-1) : written))]
    }),
  )
}
