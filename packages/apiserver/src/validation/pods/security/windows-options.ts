import { checkDns1123Subdomain, type FieldError, fieldError } from "@pilothouse/api"
import type { WindowsSecurityContextOptions } from "@pilothouse/api/core/v1"

const maxCredentialSpec = 64 * 1024
const maxDomain = 256
const maxUser = 104

/** Returns what is wrong with the Windows options of a security context. */
export function windowsOptionsErrors(options: WindowsSecurityContextOptions | undefined, field: string): readonly FieldError[] {
  if (options === undefined) return []
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options
  const specFault = spec === "" ? "gmsaCredentialSpec cannot be an empty string" : "gmsaCredentialSpec size must be under 64 KiB"
  const isSpec = spec === undefined || (spec !== "" && Buffer.byteLength(spec) <= maxCredentialSpec)
  const at = `${field}.gmsaCredentialSpecName`
  return [
    ...(name === undefined ? [] : checkDns1123Subdomain(name).map((text) => fieldError.invalid(at, name, text))),
    ...(isSpec ? [] : [fieldError.invalid(`${field}.gmsaCredentialSpec`, spec, specFault)]),
    ...(user === undefined
      ? []
      : userFaults(user).map((text) => fieldError.invalid(`${field}.runAsUserName`, user, `runAsUserName${text}`))),
  ]
}

/** What is wrong with `DOMAIN\user` or `user`. */
function userFaults(text: string): readonly string[] {
  if (text === "") return [" cannot be an empty string"]
  if (hasControlCharacter(text)) return [" cannot contain control characters"]
  const parts = text.split("\\")
  if (parts.length > 2) return [" cannot contain more than one backslash"]
  const [domain, user] = parts.length === 1 ? [undefined, parts[0]!] : [parts[0]!, parts[1]!]
  return [
    ...(domain !== undefined && Buffer.byteLength(domain) >= maxDomain ? [`'s Domain length must be under ${maxDomain} characters`] : []),
    ...(domain === undefined || isDomain(domain) ? [] : ["'s Domain doesn't match the NetBios nor the DNS format"]),
    ...(user === "" ? ["'s User cannot be empty"] : []),
    ...(Buffer.byteLength(user) > maxUser ? [`'s User length must not be longer than ${maxUser} characters`] : []),
    ...(/^[. ]+$/.test(user) ? ["'s User cannot contain only periods or spaces"] : []),
    ...(/["/:;|=,+*?<>@[\]]/.test(user) ? ["'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"] : []),
  ]
}

function hasControlCharacter(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f")
}

function isDomain(domain: string): boolean {
  const isNetBios = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/.test(domain)
  return isNetBios || domain.split(".").every((label) => label.length <= 63 && /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/.test(label))
}
