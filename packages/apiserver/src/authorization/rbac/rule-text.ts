import type { PolicyRule } from "@pilothouse/api/rbac/v1"

const verbWords: Readonly<Record<string, readonly string[]>> = {
  read: ["get", "list", "watch"],
  write: ["create", "delete", "deletecollection", "patch", "update"],
}

/**
 * Returns the rule that a line describes, each list in alphabetical order as upstream's bootstrap policy has it.
 *
 * "read core,events.k8s.io: events" is verbs, API groups and resources, with `core` for the group "" and `read` and `write` for several verbs;
 * "get core: configmaps named a b" has resource names; "get /healthz /livez/*" is of paths.
 */
export function policyRule(line: string): PolicyRule {
  const [verbWord = "", ...words] = line.split(" ")
  const verbs = sorted(verbWord.split(",").flatMap((verb) => verbWords[verb] ?? verb))
  const [groups = "", ...targets] = words
  if (!groups.endsWith(":")) return { verbs, nonResourceURLs: sorted(words) }
  const apiGroups = sorted(
    groups
      .slice(0, -1)
      .split(",")
      .map((group) => (group === "core" ? "" : group)),
  )
  const named = targets.indexOf("named")
  if (named < 0) return { verbs, apiGroups, resources: sorted(targets) }
  return { verbs, apiGroups, resources: sorted(targets.slice(0, named)), resourceNames: sorted(targets.slice(named + 1)) }
}

function sorted(words: readonly string[]): readonly string[] {
  return [...words].sort()
}
