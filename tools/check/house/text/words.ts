import type { Finding, Rule } from "../rule.ts"
import type { TextFile } from "../tree/tree.ts"

interface Word {
  /** Matched in prose and, by its parts, in camelCase names. */
  readonly pattern: RegExp
  readonly instead: string
}

/** Words that readers of client-go and controller-runtime do not search for, each with the one that they know. */
const words: readonly Word[] = [
  { pattern: /\b(?:whoever|whomever)\b/i, instead: "client, caller, controller or user" },
  { pattern: /\b(?:nobody|somebody|anybody|everybody)\b/i, instead: "the part that is meant: no client, another controller, each watcher" },
  { pattern: /\bunless told\b/i, instead: "by default" },
  { pattern: /\banew\b/i, instead: "again, or new" },
  { pattern: /\bin vain\b/i, instead: "without effect" },
  { pattern: /\b(?:is|are|was|were|be|been|being) told\b|\btold of\b/i, instead: "is notified, receives, is called with" },
  { pattern: /\b(?:tell|tells|telling) (?:of|it|them|what|that|whether|how|who|why|which)\b/i, instead: "notifies, reports, says" },
  { pattern: /\b(?:let|lets|letting) go\b/i, instead: "releases" },
  { pattern: /\b(?:hears?|heard|hearing)\b/i, instead: "receives, observes" },
  { pattern: /\balways true between calls\b/i, instead: "Invariant:" },
  { pattern: /\bturn(?:s|ed|ing)? away\b/i, instead: "rejects, refuses" },
  { pattern: /\bmade again\b/i, instead: "recreated" },
  { pattern: /\busual [A-Z]\w*|\b(?:const|let|readonly) (?:usual|most|least)\b(?! Allocated)/, instead: "default, max, min" },
  { pattern: /\b(?:wish|wishes|wished)\b/i, instead: "request" },
  { pattern: /\blook(?:s|ed|ing)? again\b/i, instead: "requeue, reconcile again" },
  { pattern: /\b(?:each|every|first|second|next|last|later|per|no) looks?\b(?! (?:like|for|up))/i, instead: "reconcile" },
  { pattern: /\b(?:control )?loops?\b(?!-| ?back)/i, instead: "controller" },
  { pattern: /\b(?:wakes?|woken|woke|waking) (?:\w+ )?(?:keys?|controllers?|reconcilers?|it|them)\b/i, instead: "enqueues" },
  { pattern: /\bis no news\b/i, instead: "is ignored" },
  { pattern: /\btak(?:e|es|en|ing) back\b/i, instead: "rolled back, undone" },
  { pattern: /\b(?:gives?|given) back\b/i, instead: "returns, released" },
  { pattern: /\bput(?:s|ting)? off\b/i, instead: "postpones" },
  { pattern: /\bin (?:its|their) hands?\b/i, instead: "active" },
  { pattern: /\bstrays?\b/i, instead: "orphan" },
  { pattern: /\bas it should be\b|\bin good order\b/i, instead: "ready; cleanly" },
]

/** An exempt line says so itself: upstream's own texts are compared by clients, and JavaScript has event loops. */
const exempt = /upstream's words?\b|\b(?:event|for|while|link).?loop\b/i

/** The project speaks of itself with the words of client-go, controller-runtime and the Kubernetes manual. */
export const fieldWords: Rule = {
  name: "words",
  check: ({ texts }) => texts.filter(isProse).flatMap(findingsIn),
}

/** The table above names the words that it forbids, and its test repeats some. */
const ofThisRule = /^tools\/check\/house\/text\/words(?:\.test)?\.ts$/

function isProse({ path }: TextFile): boolean {
  return /\.(?:ts|js|md|yaml|sh)$/.test(path) && !path.includes("/generated/") && !ofThisRule.test(path)
}

function findingsIn({ path, text }: TextFile): readonly Finding[] {
  return text.split("\n").flatMap((line, index) => {
    const prose = line.replace(/([a-z])([A-Z])/g, "$1 $2")
    if (exempt.test(prose)) return []
    return words.flatMap(({ pattern, instead }) => {
      const match = pattern.exec(prose)
      if (!match) return []
      return [{ file: path, line: index + 1, expected: "the field's words", found: `"${match[0]}"`, fix: `say ${instead}` }]
    })
  })
}
