import { checkDns1123Label, checkDns1123Subdomain } from "@pilothouse/api"

/** The node that a user's name stands for: "system:node:n". */
export function nodeOf(user: string): string | undefined {
  const name = /^system:node:(.*)$/s.exec(user)?.[1]
  return name !== undefined && checkDns1123Subdomain(name).length === 0 ? name : undefined
}

/** The service account that a user's name stands for: "system:serviceaccount:default:a". */
export function serviceAccountOf(user: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace = "", name = ""] = /^system:serviceaccount:([^:]*):([^:]*)$/.exec(user) ?? []
  return checkDns1123Label(namespace).length === 0 && checkDns1123Subdomain(name).length === 0 ? { namespace, name } : undefined
}
