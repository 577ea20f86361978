/**
 * Whom tokens for the debug ports of `pilothouse run` are for. `explain` asks for tokens of this audience and `run` takes them; an API server takes
 * none of them, so that one which falls into other hands opens nothing but debug pages.
 */
export const debugAudience = "pilothouse.dev/debug"
