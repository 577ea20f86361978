const host = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?"
const part = "[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*"
const domainForm = new RegExp(`^(?:${host}(?:\\.${host})*|\\[[a-fA-F0-9:]+\\])(?::[0-9]+)?$`)
const pathForm = new RegExp(`^${part}(?:/${part})*$`)
const tagForm = /^\w[\w.-]*$/
const maxTag = 128
const digestForm = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:([0-9A-Fa-f]+)$/
const minDigest = 32

/** Of the path, without its registry. */
const maxPath = 255

/** Why a kubelet cannot read the name of an image, in its words; undefined: it can. A container without one is refused by the API server. */
export function imageNameFault(image: string): string | undefined {
  const fault = image === "" ? undefined : referenceFault(image)
  return fault && `Failed to apply default image tag ${JSON.stringify(image)}: couldn't parse image name ${JSON.stringify(image)}: ${fault}`
}

function referenceFault(image: string): string | undefined {
  if (/^[a-f0-9]{64}$/.test(image)) return `invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`
  const { registry, rest } = partsOf(image)
  const [repository = ""] = rest.split(":")
  if (repository !== repository.toLowerCase()) return `invalid reference format: repository name (${repository}) must be lowercase`
  const path = pathOf(registry, rest)
  if (path === undefined) return "invalid reference format"
  return path.length > maxPath ? `repository name must not be more than ${maxPath} characters` : undefined
}

/** The path of "path:tag@digest"; undefined where one of them, or the registry, has not its form. */
function pathOf(registry: string, rest: string): string | undefined {
  const [named = "", digest, ...more] = rest.split("@")
  const [path = "", tag, ...others] = named.split(":")
  if (more.length > 0 || others.length > 0 || !domainForm.test(registry) || !pathForm.test(path)) return undefined
  if (tag !== undefined && (tag.length > maxTag || !tagForm.test(tag))) return undefined
  const [, hex] = digest === undefined ? [] : (digestForm.exec(digest) ?? ["", ""])
  return hex === undefined || hex.length >= minDigest ? path : undefined
}

/** "nginx" is library/nginx of docker.io. What stands before the first slash is a registry if no repository could be called so. */
function partsOf(image: string): { readonly registry: string; readonly rest: string } {
  const slash = image.indexOf("/")
  const first = image.slice(0, Math.max(slash, 0))
  const isRegistry = slash >= 0 && (/[.:]/.test(first) || first === "localhost" || first !== first.toLowerCase())
  const registry = isRegistry && first !== "index.docker.io" ? first : "docker.io"
  const rest = isRegistry ? image.slice(slash + 1) : image
  return { registry, rest: registry === "docker.io" && !rest.includes("/") ? `library/${rest}` : rest }
}
