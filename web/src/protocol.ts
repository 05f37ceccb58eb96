// The protocol, made from the Rust types by `cargo test -p homard-gateway typescript`. Do not edit.

/** One step of a run, for programs. */
export type AgentEvent = {
  /** The run. */
  "runId": string;
  /** The conversation. */
  "sessionKey": string;
  /** The transcript, once it is known. */
  "sessionId"?: string | null;
  /** Whose. */
  "agentId"?: string | null;
  /** Grows within the run. */
  "seq": number;
  /** When. */
  "ts": number;
  /** What kind of step. */
  "stream": AgentStream;
  /** The step. */
  "data": unknown;
  /** Whether nobody asked for this run. */
  "isHeartbeat": boolean;
};

/** One of the files. */
export type AgentFile = {
  /** Its name. */
  "name": string;
  /** Where it is. */
  "path": string;
  /** Whether it is not there. */
  "missing": boolean;
  /** In bytes. */
  "size"?: number | null;
  /** When it last changed. */
  "updatedAtMs"?: number | null;
  /** SHA-256 of it, in hex; to be sent back as `expectedHash`. */
  "hash"?: string | null;
  /** Its text. */
  "content"?: string | null;
};

/** Answer of [`AgentIdentityGet`]. */
export type AgentIdentityResult = {
  /** Whose. */
  "agentId": string;
  /** What to call it. */
  "name": string;
  /** Its picture: a letter, an emoji or an address. */
  "avatar": string;
  /** Its emoji. */
  "emoji"?: string | null;
};

/** An agent's model. */
export type AgentModel = {
  /** The first choice. */
  "primary": string;
  /** What to try next. */
  "fallbacks"?: Array<string>;
};

/** The kinds of steps. */
export type AgentStream = "run_status" | "lifecycle" | "assistant" | "thinking" | "tool" | "item" | "command_output" | "usage" | "compaction" | "approval";

/** One agent. */
export type AgentSummary = {
  /** Its id. */
  "id": string;
  /** Its name. */
  "name"?: string | null;
  /** Its looks. */
  "identity"?: unknown;
  /** Its folder. */
  "workspace": string;
  /** Its model. */
  "model": AgentModel;
};

/** What one agent cost. */
export type AgentUsage = {
  /** Which. */
  "agentId": string;
  /** The sums. */
  "totals": UsageTotals;
};

/** Answer of [`AgentWait`]. */
export type AgentWaitResult = {
  /** Which run. */
  "runId": string;
  /** `ok`, `error`, `timeout` (of the run or of the waiting). */
  "status": string;
  /** When it began. */
  "startedAt"?: number | null;
  /** When it ended. */
  "endedAt"?: number | null;
  /** What went wrong. */
  "error"?: string | null;
  /** Why it stopped. */
  "stopReason"?: string | null;
  /** What was said. */
  "terminalReply"?: unknown;
};

/** Answer of [`AgentsCreate`]. */
export type AgentsCreateResult = {
  /** Always true. */
  "ok": boolean;
  /** Its id. */
  "agentId": string;
  /** Its name. */
  "name": string;
  /** Its folder. */
  "workspace": string;
  /** Its model, when one was chosen. */
  "model"?: string | null;
};

/** Answer of [`AgentsDelete`]. */
export type AgentsDeleteResult = {
  /** Always true. */
  "ok": boolean;
  /** Which. */
  "agentId": string;
  /** Routes that led to it and went with it. */
  "removedBindings": number;
  /** Folders that went. */
  "removed"?: Array<RemovedPath> | null;
  /** Folders that could not. */
  "failed"?: Array<FailedPath> | null;
};

/** Answer of [`AgentsFilesGet`]. */
export type AgentsFilesGetResult = {
  /** Whose. */
  "agentId": string;
  /** Where. */
  "workspace": string;
  /** The file. */
  "file": AgentFile;
};

/** Answer of [`AgentsFilesList`]. */
export type AgentsFilesListResult = {
  /** Whose. */
  "agentId": string;
  /** Where. */
  "workspace": string;
  /** All that may be there. */
  "files": Array<AgentFile>;
};

/** Answer of [`AgentsFilesSet`]. */
export type AgentsFilesSetResult = {
  /** Always true. */
  "ok": boolean;
  /** Whose. */
  "agentId": string;
  /** Where. */
  "workspace": string;
  /** The file. */
  "file": AgentFile;
};

/** Answer of [`AgentsList`]. */
export type AgentsListResult = {
  /** Who answers by default. */
  "defaultId": string;
  /** `sole` or `legacy`. */
  "ownership": string;
  /** Whether a client must choose; never in Homard. */
  "selectionRequired": boolean;
  /** Always `main`. */
  "mainKey": string;
  /** `per-sender` or `global`. */
  "scope": string;
  /** The roster. */
  "agents": Array<AgentSummary>;
};

/** Answer of [`AgentsUpdate`]. */
export type AgentsUpdateResult = {
  /** Always true. */
  "ok": boolean;
  /** Which. */
  "agentId": string;
};

/** Where a key comes from. */
export type ApiKeySource = {
  /** `env`, `config`, `aws` or `none`. */
  "source": string;
  /** The variable's name. */
  "envVar"?: string | null;
};

/** How an approval ended. */
export type ApprovalDecided = {
  /** Its name. */
  "id": string;
  /** What was said; `null` when nobody answered, which counts as no. */
  "decision": ApprovalDecision | null;
  /** Since when it waited. */
  "createdAtMs": number;
  /** Until when it would have. */
  "expiresAtMs": number;
  /** `user`, `timeout`, `no-route` or `cancelled`. */
  "terminalReason"?: string | null;
};

/** What a person may say. Older spellings are read as well. */
export type ApprovalDecision = "allow-once" | "allow-always" | "deny";

/** How an approval ended. */
export type ApprovalEnd = {
  /** `exec` or `plugin`. */
  "approvalKind": string;
  /** Its name. */
  "id": string;
  /** What holds: an approval nobody answered is denied. */
  "decision": ApprovalDecision;
  /** Who answered. */
  "resolvedBy": string | null;
  /** When. */
  "ts": number;
  /** `user`, `timeout`, `no-route` or `cancelled`. */
  "terminalReason": string;
  /** What it was about. */
  "request": ExecApprovalDetails;
};

/** How an approval ended. */
export type ApprovalEnd2 = {
  /** `exec` or `plugin`. */
  "approvalKind": string;
  /** Its name. */
  "id": string;
  /** What holds: an approval nobody answered is denied. */
  "decision": ApprovalDecision;
  /** Who answered. */
  "resolvedBy": string | null;
  /** When. */
  "ts": number;
  /** `user`, `timeout`, `no-route` or `cancelled`. */
  "terminalReason": string;
  /** What it was about. */
  "request": PluginApprovalDetails;
};

/** Answer of [`ExecApprovalResolve`] and [`PluginApprovalResolve`]. */
export type ApprovalResolved = {
  /** Always true. */
  "ok": boolean;
};

/** A piece of what the model said. */
export type AssistantBlock = {
  "type": "text";
  /** The text. */
  "text": string;
  /** Opaque proof some providers want back. */
  "textSignature"?: string | null;
} | {
  "type": "thinking";
  /** The reasoning. */
  "thinking": string;
  /** Opaque proof some providers want back. */
  "thinkingSignature"?: string | null;
} | {
  "type": "toolCall";
} & ToolCall;

/** How large attachments may be. */
export type AttachmentPolicy = {
  /** Any file. */
  "maxBytes": number;
  /** An image. */
  "maxImageBytes": number;
};

/** One stored credential. */
export type AuthProfileStatus = {
  /** Its id. */
  "profileId": string;
  /** `api_key`, `token` or `oauth`. */
  "type": string;
  /** `ok`, `static`, `expiring`, `expired`, `cooldown` or `invalid`. */
  "status": string;
  /** The account. */
  "email"?: string | null;
  /** When it expires. */
  "expiresAt"?: number | null;
  /** Until when it rests. */
  "cooldownUntil"?: number | null;
  /** When it last worked. */
  "lastUsedAt"?: number | null;
  /** Why it cannot be used. */
  "problem"?: string | null;
};

/** Answer of [`BoardGet`]. */
export type Board = {
  /** Of which conversation. */
  "sessionKey": string;
  /** Changes when the board does. */
  "revision": number;
  /** Its pages. */
  "tabs": Array<unknown>;
  /** What is on them. */
  "widgets": Array<unknown>;
};

/** One way a conversation went. */
export type BranchRow = {
  /** Its last entry. */
  "leafEntryId": string;
  /** The beginning of what makes it different. */
  "headline": string;
  /** Messages from the beginning. */
  "messageCount": number;
  /** When its last entry was written, RFC 3339. */
  "updatedAt"?: string | null;
  /** Whether the conversation goes on here. */
  "active": boolean;
  /** Homard's own: the first entry only this branch has. */
  "firstEntryId"?: string | null;
  /** Homard's own: what the branch in use says in its place. */
  "insteadEntryId"?: string | null;
};

/** Answer of [`SessionsBranchesList`]. */
export type BranchesListResult = {
  /** The ways, oldest first. */
  "branches": Array<BranchRow>;
};

/** Answer of [`SessionsBranchesSwitch`]: nothing to say. */
export type BranchesSwitchResult = Record<string, unknown>;

/** One of the owner's limits. */
export type BudgetStatus = {
  /** Where it is set and what it is about, for example `budgets.gateway.day.usd`. */
  "path": string;
  /** Whose count it is, where one limit is for each of many. */
  "whose"?: string | null;
  /** How much of it is gone. */
  "used": number;
  /** How much there is. */
  "limit": number;
  /** `usd` or `tokens`. */
  "unit": string;
  /** When it starts anew; never, where it is missing. */
  "resetsAt"?: number | null;
};

/** Answer of [`SessionsCatalogList`]. */
export type CatalogListResult = {
  /** The programs. */
  "catalogs": Array<unknown>;
};

/** A chat platform. */
export type ChannelPlatform = {
  /** Its name in configuration. */
  "id": string;
  /** What people call it. */
  "label": string;
  /** What it is, in a line. */
  "summary": string;
  /** Keys of its section that hold credentials. */
  "secrets": Array<string>;
  /** Its section's JSON Schema. What has an `x-form` is asked for when an account is set up. */
  "schema": unknown;
};

/** What one platform cost. */
export type ChannelUsage = {
  /** Which. */
  "channel": string;
  /** The sums. */
  "totals": UsageTotals;
};

/** Answer of [`ChannelsCheck`]. An account that would not work is an answer, too. */
export type ChannelsCheckResult = {
  /** Whether it would work. */
  "ok": boolean;
  /** How long the platform took. */
  "elapsedMs": number;
  /** Our id there. */
  "id"?: string | null;
  /** Our name there. */
  "username"?: string | null;
  /** What else the platform says. */
  "facts": unknown;
  /** What the owner should change there, in sentences. */
  "advice": Array<string>;
  /** Why it would not work. */
  "error"?: string | null;
};

/** `channels.pairing.requested`: a stranger waits for the owner. */
export type ChannelsPairingRequestedEvent = PairingRow;

/** `channels.pairing.resolved`: a stranger waits no more. */
export type ChannelsPairingResolvedEvent = {
  /** Which request: the code the stranger was told. */
  "requestId": string;
  /** The platform. */
  "channel": string;
  /** The account they wrote to. */
  "accountId": string;
  /** Who they are to the platform. */
  "senderId": string;
  /** What was decided; one who is forgotten is rejected and may ask again. */
  "decision": PairDecision;
  /** When. */
  "ts": number;
};

/** Answer of [`ChannelsPlatforms`]. */
export type ChannelsPlatformsResult = {
  /** In the order people are shown. */
  "platforms": Array<ChannelPlatform>;
};

/** Answer of [`ChannelsStatus`]. */
export type ChannelsStatusResult = {
  /** When. */
  "ts": number;
  /** In which order to show them. */
  "channelOrder": Array<string>;
  /** What to call them. */
  "channelLabels": Record<string, string>;
  /** What to call them at length. */
  "channelDetailLabels": Record<string, string>;
  /** Their pictures. */
  "channelSystemImages": Record<string, string>;
  /** The same in one list. */
  "channelMeta": Array<unknown>;
  /** How each is. */
  "channels": Record<string, unknown>;
  /** How each account is. */
  "channelAccounts": Record<string, Array<unknown>>;
  /** Which account is used unless told otherwise. */
  "channelDefaultAccountId": Record<string, string>;
  /** What is wrong. */
  "statusIssues": Array<unknown>;
};

/** Answer of [`ChatAbort`]. */
export type ChatAbortResult = {
  /** Always true. */
  "ok": boolean;
  /** Whether anything was stopped. */
  "aborted": boolean;
  /** What was stopped. */
  "runIds": Array<string>;
};

/** One step of a run, for people. */
export type ChatEvent = {
  /** The run. */
  "runId": string;
  /** The conversation. */
  "sessionKey": string;
  /** Whose. */
  "agentId"?: string | null;
  /** Grows within the run; shared with `agent` events, so not without gaps. */
  "seq": number;
} & ({
  "state": "status";
  /** `preparing_workspace`, `preparing_context`, `starting_model`. */
  "phase": string;
} | {
  "state": "delta";
  /** To be appended. */
  "deltaText": string;
  /** Everything so far. */
  "message": ChatMessage;
} | {
  "state": "final";
  /** The whole answer; absent when there is nothing to show. */
  "message"?: FinalMessage | null;
  /** Tokens of the run. */
  "usage"?: Usage | null;
  /** Why the model stopped. */
  "stopReason"?: string | null;
} | {
  "state": "aborted";
  /** What was said until then. */
  "message"?: ChatMessage | null;
  /** By whom: `rpc`, `stop`, `timeout`, `restart`. */
  "stopReason": string;
} | {
  "state": "error";
  /** What a person reads. */
  "errorMessage": string;
  /** What a program decides on. */
  "errorKind": ErrorKind;
  /** What was said until then. */
  "message"?: ChatMessage | null;
});

/** Answer of [`ChatHistory`]. */
export type ChatHistoryResult = {
  /** Which conversation. */
  "sessionKey": string;
  /** Its transcript; absent before the first message. */
  "sessionId"?: string | null;
  /** Oldest first; each message carries `__openclaw` with its entry id and sequence number. */
  "messages": Array<unknown>;
  /** Messages accepted but not yet begun. */
  "pendingInputs": PendingInputs;
  /** Whether older messages exist. */
  "hasMore": boolean;
  /** Where the next older page begins. */
  "nextOffset"?: number | null;
  /** Messages in the transcript. */
  "totalMessages": number;
  /** What the session would use without overrides. */
  "defaults": SessionDefaults;
  /** The session's row. */
  "sessionInfo": SessionRow;
  /** How hard it thinks. */
  "thinkingLevel"?: string | null;
  /** How much it shows. */
  "verboseLevel"?: string | null;
  /** The answer being written right now. */
  "inFlightRun"?: InFlightRun | null;
};

/** Answer of [`ChatInject`]. */
export type ChatInjectResult = {
  /** Always true. */
  "ok": boolean;
  /** The transcript entry. */
  "messageId": string;
};

/** A snapshot of an answer in the making. */
export type ChatMessage = {
  /** Always `assistant`. */
  "role": string;
  /** One text block. */
  "content": Array<TextBlock>;
  /** When. */
  "timestamp": number;
};

/** Answer of [`ChatMessageGet`]. */
export type ChatMessageGetResult = {
  /** Whether it is here. */
  "ok": boolean;
  /** The message. */
  "message"?: unknown;
  /** `not_found`, `not_visible` or `oversized`. */
  "unavailableReason"?: string | null;
};

/** Answer of [`ChatMetadata`]. */
export type ChatMetadataResult = {
  /** As `models.list` answers. */
  "models": Array<ModelSummary>;
  /** As `commands.list` answers. */
  "commands": Array<SlashCommand>;
  /** Never in Homard. */
  "swarmEnabled": boolean;
};

/** Answer of [`ChatSend`]. */
export type ChatSendResult = {
  /** The run; equal to the idempotency key. */
  "runId": string;
  /** `started`, `in_flight` for a repeat while it runs, `ok` or `error` for a repeat afterwards. */
  "status": string;
  /** Present and true when a run was stopped for it. */
  "interruptedActiveRun"?: boolean | null;
};

/** Answer of [`ChatStartup`]. */
export type ChatStartupResult = {
  /** Which conversation. */
  "sessionKey": string;
  /** Its transcript; absent before the first message. */
  "sessionId"?: string | null;
  /** Oldest first; each message carries `__openclaw` with its entry id and sequence number. */
  "messages": Array<unknown>;
  /** Messages accepted but not yet begun. */
  "pendingInputs": PendingInputs;
  /** Whether older messages exist. */
  "hasMore": boolean;
  /** Where the next older page begins. */
  "nextOffset"?: number | null;
  /** Messages in the transcript. */
  "totalMessages": number;
  /** What the session would use without overrides. */
  "defaults": SessionDefaults;
  /** The session's row. */
  "sessionInfo": SessionRow;
  /** How hard it thinks. */
  "thinkingLevel"?: string | null;
  /** How much it shows. */
  "verboseLevel"?: string | null;
  /** The answer being written right now. */
  "inFlightRun"?: InFlightRun | null;
  /** As `chat.metadata` answers. */
  "metadata": ChatMetadataResult;
};

/** Where a command may be given. */
export type CommandScope = "text" | "native" | "both";

/** Answer of [`CommandsList`]. */
export type CommandsListResult = {
  /** In alphabetical order. */
  "commands": Array<SlashCommand>;
};

/** What a compaction did. */
export type CompactedConversation = {
  /** What stands for the beginning now. */
  "summary": string;
  /** Where the rest begins. */
  "firstKeptEntryId": string;
  /** Tokens before. */
  "tokensBefore": number;
  /** Tokens now, guessed. */
  "tokensAfter": number;
};

/** Answer of [`SessionsCompanionState`]. */
export type CompanionStateResult = {
  /** The questions and answers. */
  "exchanges": Array<unknown>;
};

/** A key beneath another. */
export type ConfigChild = {
  /** Its name; `*` for any. */
  "key": string;
  /** Its path. */
  "path": string;
  /** Its type, or types. */
  "type"?: unknown;
  /** Whether it must be there. */
  "required": boolean;
  /** Whether something lies beneath it. */
  "hasChildren": boolean;
  /** What a change asks for: `restart`, `hot` or `none`. */
  "reloadKind"?: string | null;
  /** Words for people. */
  "hint"?: ConfigHint | null;
  /** Whose words these are. */
  "hintPath"?: string | null;
};

/** Words for people. */
export type ConfigHint = {
  /** Its name. */
  "label"?: string | null;
  /** What it is for. */
  "help"?: string | null;
  /** Present and true for secrets. */
  "sensitive"?: boolean | null;
};

/** Something wrong or odd in the file. */
export type ConfigIssue = {
  /** Where. */
  "path": string;
  /** What. */
  "message": string;
};

/** Answer of [`ConfigOpenFile`]. */
export type ConfigOpenFileResult = {
  /** Whether something was opened. */
  "ok": boolean;
  /** The file. */
  "path": string;
  /** Why not. */
  "error"?: string | null;
};

/** Answer of [`ConfigSchemaLookup`]. */
export type ConfigSchemaLookupResult = {
  /** As asked, in one spelling. */
  "path": string;
  /** What the value may be, without what lies beneath. */
  "schema": unknown;
  /** What a change asks for: `restart`, `hot` or `none`. */
  "reloadKind"?: string | null;
  /** Words for people. */
  "hint"?: ConfigHint | null;
  /** Whose words these are. */
  "hintPath"?: string | null;
  /** What lies beneath. */
  "children": Array<ConfigChild>;
};

/** Answer of [`ConfigSchema`]. */
export type ConfigSchemaResult = {
  /** JSON Schema. */
  "schema": unknown;
  /** Labels and help by path. */
  "uiHints": unknown;
  /** Homard's version. */
  "version": string;
  /** When. */
  "generatedAt": string;
};

/** The file as it is and as it is understood, secrets redacted. */
export type ConfigSnapshot = {
  /** Where it is. */
  "path": string;
  /** Whether it is there. */
  "exists": boolean;
  /** Whether it can be used. */
  "valid": boolean;
  /** Its text; `null` when secrets could not be hidden in it. */
  "raw": string | null;
  /** As written. */
  "parsed": unknown;
  /** With includes and variables put in. */
  "sourceConfig": unknown;
  /** The same. */
  "resolved": unknown;
  /** With defaults. */
  "config": unknown;
  /** As running. */
  "runtimeConfig": unknown;
  /** SHA-256 of the text; to be sent back as `baseHash`. */
  "hash": string;
  /** The same. */
  "configRevisionHash": string;
  /** Of what is running. */
  "appliedConfigHash": string | null;
  /** What is wrong. */
  "issues": Array<ConfigIssue>;
  /** What is odd. */
  "warnings": Array<ConfigIssue>;
  /** Old spellings. */
  "legacyIssues": Array<ConfigIssue>;
  /** Other files it is made of. */
  "includedPaths": Array<string>;
  /** Which value came from which of them; not told yet. */
  "includeProvenance": Array<unknown>;
  /** Whether the list of agents comes from another file, so that it cannot be changed here. */
  "agentRosterIncludeOwned": boolean;
  /** The same of the routes. */
  "bindingsIncludeOwned": boolean;
};

/** Answer of every configuration write. */
export type ConfigWriteResult = {
  /** Always true. */
  "ok": boolean;
  /** Where it was written. */
  "path": string;
  /** Whether nothing had to be written. */
  "noop"?: boolean | null;
  /** Of the new text. */
  "hash"?: string | null;
  /** The new file, secrets redacted. */
  "config": unknown;
  /** What changed. */
  "changedPaths"?: Array<string> | null;
  /** Present when a restart is needed for it to take effect. */
  "restart"?: unknown;
  /** Who is told after that restart: `{persisted, payload}`. */
  "sentinel"?: unknown;
};

/** Answer of [`PluginsControlUiList`]. */
export type ControlUiPlugins = {
  /** Changes when the list does. */
  "revision": string;
  /** The parts. */
  "plugins": Array<unknown>;
  /** What went wrong with them. */
  "diagnostics": Array<unknown>;
};

/** US dollars of one model call. */
export type Cost = {
  /** For the prompt. */
  "input": number;
  /** For the answer. */
  "output": number;
  /** For cached prompt parts. */
  "cacheRead": number;
  /** For writing the cache. */
  "cacheWrite": number;
  /** All of the above. */
  "total": number;
};

/** What happened to a job. */
export type CronAction = "added" | "updated" | "removed" | "started" | "finished";

/** Answer of [`CronAdd`]. */
export type CronAddResult = CronDeclared | CronJob;

/** See [`CronFailureAlert`]. */
export type CronAlertRule = {
  /** After how many failures in a row. */
  "after"?: number | null;
  /** The platform. */
  "channel"?: string | null;
  /** The recipient. */
  "to"?: string | null;
  /** How long nobody is told again. */
  "cooldownMs"?: number | null;
  /** Whether runs that were skipped count. */
  "includeSkipped"?: boolean | null;
  /** How; only `announce` is in effect. */
  "mode"?: CronDeliveryMode | null;
  /** Our account. */
  "accountId"?: string | null;
};

/** Why the gateway switched a job off by itself. */
export type CronAutoDisabled = {
  /** `consecutive-failures` or `schedule-errors`. */
  "reason": string;
  /** When. */
  "atMs": number;
  /** After how many. */
  "consecutiveErrors": number;
};

/** A program that is told when a run is over. */
export type CronCompletionDestination = {
  /** Only `webhook`. */
  "mode": CronDeliveryMode;
  /** Its address. */
  "to": string;
};

/** What became of a job that was added with a declaration key. */
export type CronDeclared = {
  /** Whether there was none of that key. */
  "created": boolean;
  /** Whether the one there was is different now. */
  "updated"?: boolean | null;
  /** The job. */
  "job": CronJob;
  /** Where its result would go. */
  "deliveryPreview"?: CronDeliveryPreview | null;
};

/** Where a result goes. */
export type CronDelivery = {
  /** How. */
  "mode": CronDeliveryMode;
  /** The platform; `last` is where people were last heard. */
  "channel"?: string | null;
  /** The recipient, or the address of a webhook. */
  "to"?: string | null;
  /** The thread. */
  "threadId"?: unknown;
  /** Our account there. */
  "accountId"?: string | null;
  /** Whether a failure to deliver is no failure of the run. */
  "bestEffort"?: boolean | null;
  /** Where failures go instead. */
  "failureDestination"?: unknown;
  /** A program that is told besides. */
  "completionDestination"?: CronCompletionDestination | null;
};

/** How a result is delivered. */
export type CronDeliveryMode = "none" | "announce" | "webhook";

/** Where a result would go, in words. */
export type CronDeliveryPreview = {
  /** In short. */
  "label": string;
  /** At length. */
  "detail": string;
};

/** What became of a result. */
export type CronDeliveryStatus = "delivered" | "not-delivered" | "unknown" | "not-requested";

/** `cron`: a job changed, or ran. */
export type CronEvent = {
  /** Which job. */
  "jobId": string;
  /** What happened. */
  "action": CronAction;
  /** The job now. */
  "job"?: CronJob | null;
  /** When it is due next. */
  "nextRunAtMs"?: number | null;
  /** When the run began. */
  "runAtMs"?: number | null;
  /** How it ended. */
  "status"?: CronRunStatus | null;
  /** What went wrong. */
  "error"?: string | null;
  /** What was said, shortened. */
  "summary"?: string | null;
  /** How long it took. */
  "durationMs"?: number | null;
  /** Whether the result arrived. */
  "delivered"?: boolean | null;
  /** What became of it. */
  "deliveryStatus"?: CronDeliveryStatus | null;
  /** The transcript. */
  "sessionId"?: string | null;
  /** The conversation. */
  "sessionKey"?: string | null;
  /** The run. */
  "runId"?: string | null;
  /** Who thought. */
  "model"?: string | null;
  /** Where. */
  "provider"?: string | null;
  /** At what price. */
  "usage"?: CronUsage | null;
};

/** When somebody is told that a job keeps failing. */
export type CronFailureAlert = boolean | CronAlertRule;

/** A job. */
export type CronJob = {
  /** Its name for programs. */
  "id": string;
  /** What people call it. */
  "name": string;
  /** Makes adding it again a change of the same job. */
  "declarationKey"?: string | null;
  /** What lists show instead of the name. */
  "displayName"?: string | null;
  /** Who looks after it, as clients write it. */
  "owner"?: unknown;
  /** Which agent. */
  "agentId"?: string | null;
  /** The conversation it was made in. */
  "sessionKey"?: string | null;
  /** Words about it. */
  "description"?: string | null;
  /** Whether it runs. */
  "enabled"?: boolean | null;
  /** Whether it is forgotten after it went well. */
  "deleteAfterRun"?: boolean | null;
  /** When it is due. */
  "schedule": CronSchedule;
  /** Bounds of a cadence the job chooses itself. Known, not in effect. */
  "pacing"?: unknown;
  /** A condition. Known, not in effect. */
  "trigger"?: unknown;
  /** `main`, `isolated`, `current` or `session:<key>`. */
  "sessionTarget": string;
  /** Whether the conversation is woken. */
  "wakeMode": CronWakeMode;
  /** What it does. */
  "payload": CronPayload;
  /** Where its result goes. */
  "delivery"?: CronDelivery | null;
  /** When somebody is told that it keeps failing. */
  "failureAlert"?: CronFailureAlert | null;
  /** When it was made. */
  "createdAtMs": number;
  /** When it was last changed. */
  "updatedAtMs": number;
  /** How it has fared. */
  "state": CronJobState;
  /** Changes when what was asked for does. */
  "configRevision"?: string | null;
  /** As in `state`. */
  "nextRunAtMs"?: number | null;
  /** As in `state`. */
  "lastRunAtMs"?: number | null;
  /** As in `state`. */
  "lastRunStatus"?: CronRunStatus | null;
  /** As in `state`. */
  "lastRunError"?: string | null;
  /** As in `state`. */
  "lastDeliveryStatus"?: CronDeliveryStatus | null;
  /** Whose it is, named or not. */
  "effectiveAgentId"?: string | null;
  /** Where its result would go; only when it was just made. */
  "deliveryPreview"?: CronDeliveryPreview | null;
};

/** How a job has fared. */
export type CronJobState = {
  /** When it is due next. */
  "nextRunAtMs"?: number | null;
  /** When its schedule last took effect. */
  "scheduleActivatedAtMs"?: number | null;
  /** Since when it runs. */
  "runningAtMs"?: number | null;
  /** When it last began. */
  "lastRunAtMs"?: number | null;
  /** How that ended. */
  "lastRunStatus"?: CronRunStatus | null;
  /** The same under its older name. */
  "lastStatus"?: CronRunStatus | null;
  /** What went wrong. */
  "lastError"?: string | null;
  /** How long it took. */
  "lastDurationMs"?: number | null;
  /** How often in a row it went wrong. */
  "consecutiveErrors"?: number | null;
  /** How often in a row its next time could not be found. */
  "scheduleErrorCount"?: number | null;
  /** Why it was switched off. */
  "autoDisabled"?: CronAutoDisabled | null;
  /** Whether its last result arrived. */
  "lastDelivered"?: boolean | null;
  /** What became of it. */
  "lastDeliveryStatus"?: CronDeliveryStatus | null;
  /** Why it did not arrive. */
  "lastDeliveryError"?: string | null;
  /** When somebody was last told that it keeps failing. */
  "lastFailureAlertAtMs"?: number | null;
};

/** Answer of [`CronList`]. */
export type CronListResult = {
  /** The jobs. */
  "jobs": Array<CronJob>;
  /** How many there are. */
  "total": number;
  /** How many were left out. */
  "offset": number;
  /** How many were asked for. */
  "limit": number;
  /** Whether there are more. */
  "hasMore": boolean;
  /** Where they begin. */
  "nextOffset": number | null;
  /** Changes when the jobs do, so that a client that pages notices. */
  "snapshotRevision": string;
  /** Where their results would go, by id. */
  "deliveryPreviews"?: Record<string, CronDeliveryPreview> | null;
};

/** What a job does. */
export type CronPayload = {
  "kind": "systemEvent";
  /** What. */
  "text": string;
  /** Tools it may use. */
  "toolsAllow"?: Array<string> | null;
  /** Whether that list is a default. */
  "toolsAllowIsDefault"?: boolean | null;
} | {
  "kind": "agentTurn";
  /** What. */
  "message": string;
  /** `provider/model`. */
  "model"?: string | null;
  /** Models that stand in. */
  "fallbacks"?: Array<string> | null;
  /** How hard to think. */
  "thinking"?: string | null;
  /** How long it may take. */
  "timeoutSeconds"?: number | null;
  /** Whether words of others are passed on as they are. */
  "allowUnsafeExternalContent"?: boolean | null;
  /** Whether less of the workspace is told. */
  "lightContext"?: boolean | null;
  /** Tools it may use. */
  "toolsAllow"?: Array<string> | null;
  /** Whether that list is a default. */
  "toolsAllowIsDefault"?: boolean | null;
} | {
  "kind": "command";
  /** Program and arguments. */
  "argv": Array<string>;
  /** The rest, as written. */
  "cwd"?: string | null;
  /** Its environment. */
  "env"?: unknown;
  /** What it reads. */
  "input"?: string | null;
  /** How long it may take. */
  "timeoutSeconds"?: number | null;
  /** How long it may be silent. */
  "noOutputTimeoutSeconds"?: number | null;
  /** How much of what it says is kept. */
  "outputMaxBytes"?: number | null;
  /** Tools it may use. */
  "toolsAllow"?: Array<string> | null;
  /** Whether that list is a default. */
  "toolsAllowIsDefault"?: boolean | null;
} | {
  "kind": "script";
  /** Its text. */
  "script": string;
  /** How long it may take. */
  "timeoutSeconds"?: number | null;
  /** How many tools it may call. */
  "toolBudget"?: number | null;
  /** Tools it may use. */
  "toolsAllow"?: Array<string> | null;
  /** Whether that list is a default. */
  "toolsAllowIsDefault"?: boolean | null;
};

/** Answer of [`CronPreview`]. */
export type CronPreviewResult = {
  /** The next moments, the first first; one for a schedule that is due once. */
  "runsAtMs": Array<number>;
  /** The zone a calendar follows. */
  "tz": string;
  /** By how much each moment may yet be moved, because it is not known for which job; 0 when they are exact. */
  "spreadMs": number;
  /** The schedule in words. */
  "words": string;
};

/** Answer of [`CronRemove`]. */
export type CronRemoveResult = {
  /** Always. */
  "ok": boolean;
  /** Whether there was one. */
  "removed": boolean;
};

/** One run that is over. */
export type CronRunEntry = {
  /** When it was over. */
  "ts": number;
  /** Whose. */
  "jobId": string;
  /** Always `finished`. */
  "action": string;
  /** How it ended. */
  "status"?: CronRunStatus | null;
  /** What went wrong. */
  "error"?: string | null;
  /** What was said, shortened. */
  "summary"?: string | null;
  /** Whether the result arrived. */
  "delivered"?: boolean | null;
  /** What became of it. */
  "deliveryStatus"?: CronDeliveryStatus | null;
  /** Why it did not arrive. */
  "deliveryError"?: string | null;
  /** The transcript. */
  "sessionId"?: string | null;
  /** The conversation. */
  "sessionKey"?: string | null;
  /** The run. */
  "runId"?: string | null;
  /** When it began. */
  "runAtMs"?: number | null;
  /** How long it took. */
  "durationMs"?: number | null;
  /** When the job is due next. */
  "nextRunAtMs"?: number | null;
  /** Who thought. */
  "model"?: string | null;
  /** Where. */
  "provider"?: string | null;
  /** At what price. */
  "usage"?: CronUsage | null;
  /** What people call the job. */
  "jobName"?: string | null;
};

/** Answer of [`CronRun`]. */
export type CronRunResult = {
  /** Whether the request was understood. */
  "ok": boolean;
  /** It runs. */
  "enqueued"?: boolean | null;
  /** `false`: it does not. */
  "ran"?: boolean | null;
  /** Why not. */
  "reason"?: string | null;
  /** The run. */
  "runId"?: string | null;
  /** The gateway that runs it. */
  "processInstanceId"?: string | null;
};

/** How a run ended. */
export type CronRunStatus = "ok" | "error" | "skipped";

/** Answer of [`CronRuns`]. */
export type CronRunsResult = {
  /** The runs. */
  "entries": Array<CronRunEntry>;
  /** How many there are. */
  "total": number;
  /** How many were left out. */
  "offset": number;
  /** How many were asked for. */
  "limit": number;
  /** Whether there are more. */
  "hasMore": boolean;
  /** Where they begin. */
  "nextOffset": number | null;
};

/** When a job is due. */
export type CronSchedule = {
  "kind": "at";
  /** ISO 8601; without a zone it is UTC. */
  "at": string;
} | {
  "kind": "every";
  /** The distance. */
  "everyMs": number;
  /** A moment from which it is counted; when the job was made, unless given. */
  "anchorMs"?: number | null;
} | {
  "kind": "cron";
  /** Five fields, or six with seconds first. */
  "expr": string;
  /** IANA name; the owner's zone, unless given. */
  "tz"?: string | null;
  /** How far runs may be moved so that jobs do not all begin at once; 0 means not at all. */
  "staggerMs"?: number | null;
} | {
  "kind": "on-exit";
  /** Which. */
  "command": string;
  /** Where. */
  "cwd"?: string | null;
} | {
  "kind": "stream";
  /** Which. */
  "command": Array<string>;
  /** Where. */
  "cwd"?: string | null;
  /** Every line, or those that match. */
  "mode"?: string | null;
  /** What they must match. */
  "match"?: string | null;
  /** How long lines are collected. */
  "batchMs"?: number | null;
  /** How many bytes of them. */
  "maxBatchBytes"?: number | null;
};

/** Answer of [`CronStatus`]. */
export type CronStatusResult = {
  /** Whether anything is ever run. */
  "enabled": boolean;
  /** Whether conditions are ever looked at. */
  "triggersEnabled": boolean;
  /** Where jobs are kept; empty for callers who may not see paths. */
  "storePath": string;
  /** Always `sqlite`. */
  "storage": string;
  /** As `storePath`. */
  "sqlitePath": string;
  /** How many jobs there are. */
  "jobs": number;
  /** When the next one is due. */
  "nextWakeAtMs": number | null;
};

/** What a run cost, as run logs spell it. */
export type CronUsage = {
  /** Tokens read. */
  "input_tokens": number;
  /** Tokens written. */
  "output_tokens": number;
  /** All together. */
  "total_tokens": number;
  /** Read from a cache. */
  "cache_read_tokens": number;
  /** Written to one. */
  "cache_write_tokens": number;
};

/** Whether a job that tells something wakes the conversation. */
export type CronWakeMode = "now" | "next-heartbeat";

/** A message that was given up. */
export type DeadLetter = {
  /** Its key. */
  "key": string;
  /** The platform. */
  "channel": string;
  /** Our account. */
  "accountId": string;
  /** The conversation there. */
  "conversation": string;
  /** When it was kept. */
  "createdAt": number;
  /** When it was given up. */
  "failedAt"?: number | null;
  /** How often it was tried. */
  "tries": number;
  /** Why it was given up. */
  "error"?: string | null;
};

/** Answer to [`ChannelsDeadLetters`]. */
export type DeadLettersResult = {
  /** What was given up, newest first. */
  "letters": Array<DeadLetter>;
  /** How each account's outbox is. */
  "accounts": Array<OutboxState>;
};

/** A client's key pair: hex SHA-256 of its Ed25519 public key. */
export type DeviceId = string;

/** A device and what the owner calls it. */
export type DeviceLabel = {
  /** Hex SHA-256 of its public key. */
  "deviceId": DeviceId;
  /** At most [`MAX_DEVICE_LABEL`] characters. */
  "label": string;
};

/** Answer of [`DevicePairApprove`]. */
export type DevicePairApproved = {
  /** Which request. */
  "requestId": string;
  /** The device as it may connect from now on. */
  "device": PairedDeviceRow;
};

/** Everything about devices. */
export type DevicePairListResult = {
  /** Requests that wait, oldest first. */
  "pending": Array<PendingDeviceRow>;
  /** Devices that may connect, newest approval first. */
  "paired": Array<PairedDeviceRow>;
};

/** Answer of [`DevicePairReject`]. */
export type DevicePairRejected = {
  /** Which request. */
  "requestId": string;
  /** Whose it was. */
  "deviceId": DeviceId;
};

/** `device.pair.requested`: a device waits for the owner. */
export type DevicePairRequestedEvent = PendingDeviceRow;

/** `device.pair.resolved`: a device waits no more. */
export type DevicePairResolvedEvent = {
  /** Which request. */
  "requestId": string;
  /** Whose. */
  "deviceId": DeviceId;
  /** What was decided. A request that another one of the same device replaced is rejected. */
  "decision": PairDecision;
  /** When. */
  "ts": number;
};

/** `device.pair.setup.completed`: a device came in with a setup code. */
export type DevicePairSetupCompletedEvent = SetupCompletion;

/** Which device. */
export type DeviceParams = {
  /** Hex SHA-256 of its public key. */
  "deviceId": DeviceId;
};

/** Answer of [`DeviceTokenRevoke`]. */
export type DeviceTokenRevoked = {
  /** Whose. */
  "deviceId": DeviceId;
  /** For which role. */
  "role": Role;
  /** Since when it opens no door. */
  "revokedAtMs": number;
};

/** Answer of [`DeviceTokenRotate`]. */
export type DeviceTokenRotated = {
  /** Whose. */
  "deviceId": DeviceId;
  /** For which role. */
  "role": Role;
  /** The bearer, only for the device itself. */
  "token"?: string | null;
  /** What it may do. */
  "scopes": Array<string>;
  /** When. */
  "rotatedAtMs": number;
  /** Whether `token` is here. */
  "tokenDelivery": TokenDelivery;
};

/** A token without its bearer. */
export type DeviceTokenRow = {
  /** For which role. */
  "role": string;
  /** What it may do. */
  "scopes": Array<string>;
  /** When it was first issued. */
  "createdAtMs": number;
  /** When the bearer was last replaced. */
  "rotatedAtMs"?: number | null;
  /** When it stopped being valid. */
  "revokedAtMs"?: number | null;
  /** When it was last presented. */
  "lastUsedAtMs"?: number | null;
};

/** Answer of [`SessionDiscussionInfo`]. */
export type DiscussionInfo = {
  /** `none`. */
  "state": string;
};

/** One disk. */
export type DiskInfo = {
  /** Where it is seen; for administrators. */
  "path"?: string | null;
  /** Its size. */
  "totalBytes": number;
  /** What of it is free. */
  "availableBytes": number;
};

/** A file that came with a question. */
export type EditorAttachment = {
  /** For example `image/png`. */
  "mimeType": string;
  /** Base64. */
  "data": string;
  /** What the person calls it. */
  "fileName"?: string | null;
};

/** A conversation that can be brought back. */
export type EndedSessionRow = {
  /** Its key. */
  "key": string;
  /** Its transcript. */
  "sessionId": string;
  /** Whose. */
  "agentId": string;
  /** `deleted` or `reset`. */
  "reason": string;
  /** When. */
  "endedAt": number;
  /** Its name. */
  "label"?: string | null;
  /** The beginning of the first message. */
  "derivedTitle"?: string | null;
  /** The beginning of the last one. */
  "lastMessagePreview"?: string | null;
};

/** What a program decides on when a run failed. */
export type ErrorKind = "refusal" | "timeout" | "rate_limit" | "context_length" | "unknown";

/** What a command approval is about. */
export type ExecApprovalDetails = {
  /** The command line. */
  "command": string;
  /** Its beginning, on one line. */
  "commandPreview"?: string | null;
  /** Where it would run. */
  "cwd"?: string | null;
  /** On what: `gateway`. */
  "host": string;
  /** The security mode it is under. */
  "security"?: string | null;
  /** When such commands are asked about. */
  "ask"?: string | null;
  /** Why the person is asked, one reason a line. */
  "warningText"?: string | null;
  /** The same as a list: the rule, and whose words are in play. Homard's own. */
  "reasons"?: Array<string>;
  /** What may be said. */
  "allowedDecisions": Array<ApprovalDecision>;
  /** Whose turn. */
  "agentId"?: string | null;
  /** The program that would start. */
  "resolvedPath"?: string | null;
  /** The conversation. */
  "sessionKey"?: string | null;
  /** The turn. */
  "runId"?: string | null;
  /** The call. */
  "toolCallId"?: string | null;
};

/** Answer of [`ExecApprovalGet`]. */
export type ExecApprovalGetResult = {
  /** Its name. */
  "id": string;
  /** The command line. */
  "commandText": string;
  /** Its beginning, on one line. */
  "commandPreview": string | null;
  /** What may be said. */
  "allowedDecisions": Array<ApprovalDecision>;
  /** On what it would run. */
  "host": string | null;
  /** Always `null`: there are no nodes yet. */
  "nodeId": string | null;
  /** Whose turn. */
  "agentId": string | null;
  /** Until when. */
  "expiresAtMs": number;
  /** Why the person is asked. Homard's own. */
  "reasons"?: Array<string>;
};

/** `exec.approval.requested`: a command waits for an answer. */
export type ExecApprovalRequestedEvent = PendingApproval;

/** `exec.approval.resolved`: a command waits no more. */
export type ExecApprovalResolvedEvent = ApprovalEnd;

/** Rules in words. */
export type ExecApprovalsDefaults = {
  /** `deny`, `allowlist` or `full`. */
  "security": string;
  /** `off`, `on-miss` or `always`. */
  "ask": string;
  /** What happens when nobody answers, as `security`. */
  "askFallback": string;
  /** Whether programs of skills may run. */
  "autoAllowSkills": boolean;
};

/** The file as it is. */
export type ExecApprovalsSnapshot = {
  /** Where it is. */
  "path": string;
  /** Whether it is there. */
  "exists": boolean;
  /** Its content, without the socket's token. */
  "file": unknown;
  /** SHA-256 of its text; to be sent back as `baseHash`. */
  "hash": string;
  /** What it means for agents it does not name. */
  "resolvedDefaults": ExecApprovalsDefaults;
};

/** What one layer says about a tool. */
export type ExplainedLayer = {
  /** The layer. */
  "layer": string;
  /** `denied`, `notListed`, `allowed`, or `silent`. */
  "verdict": string;
  /** The entry that matched. */
  "pattern"?: string | null;
  /** Where it is configured. */
  "place"?: string | null;
  /** What it allows; empty allows everything. */
  "allow": Array<string>;
  /** What it refuses. */
  "deny": Array<string>;
  /** What to change, when it refuses. */
  "advice"?: string | null;
  /** Whether it is the one that decided. */
  "decides": boolean;
};

/** Why one tool is offered or not. */
export type ExplainedTool = {
  /** Its name. */
  "name": string;
  /** Whether it is offered: it is there, and every layer agrees. */
  "offered": boolean;
  /** Whether every layer agrees. */
  "allowed": boolean;
  /** Whether there is such a tool in this gateway, as it is set up. */
  "exists": boolean;
  /** The rule that decided, in words. */
  "decidedBy": string;
  /** What to change to have it offered. */
  "advice"?: string | null;
  /** Names that are spelled alike, when there is no such tool. */
  "similar"?: Array<string>;
  /** What every layer says, in the order they are asked; only when one tool was asked for. */
  "layers"?: Array<ExplainedLayer>;
};

/** A folder that could not be taken away. */
export type FailedPath = {
  /** Which. */
  "path": string;
  /** Why. */
  "reason": string;
};

/** What may be called and heard. */
export type Features = {
  /** Method names. */
  "methods": Array<string>;
  /** Event names. */
  "events": Array<string>;
  /** Optional behaviour clients gate on; only what is implemented. */
  "capabilities": Array<string>;
};

/** The size of one of the owner's files. */
export type FileSize = {
  /** Which. */
  "name": string;
  /** Where it is, or would be. */
  "path": string;
  /** Whether there is none. */
  "missing": boolean;
  /** How long it is; 0 when it says nothing. */
  "rawChars": number;
  /** How much of it is told. */
  "injectedChars": number;
  /** Whether that is not all. */
  "truncated": boolean;
};

/** The message of a `final`: a snapshot of the run's text, or a line the gateway itself wrote. */
export type FinalMessage = ChatMessage | InjectedMessage;

/** A login of another program. */
export type FoundLogin = {
  /** The program. */
  "program": string;
  /** The file, from the home directory. */
  "file": string;
  /** Whose models it is for. */
  "provider": string;
  /** What it was kept as, when it was taken over. */
  "profileId"?: string | null;
};

/** Answer of [`GatewayIdentityGet`]. */
export type GatewayIdentity = {
  /** Hex SHA-256 of the public key. */
  "deviceId": DeviceId;
  /** The Ed25519 public key, in base64url. */
  "publicKey": string;
};

/** A token for another role than the one connected in. `Debug` hides it. */
export type HandedToken = {
  /** The bearer. */
  "deviceToken": string;
  /** For which role. */
  "role": string;
  /** What it may do. */
  "scopes": Array<string>;
  /** When it was made. */
  "issuedAtMs": number;
};

/** `health`: the same as the method answers. */
export type HealthEvent = unknown;

/** What a socket may do. */
export type HelloAuth = {
  /** `operator` or `node`. */
  "role": string;
  /** Granted permissions. */
  "scopes": Array<string>;
  /** How the client proved itself. */
  "method": string;
  /** To be used next time instead of the shared secret. */
  "deviceToken"?: string | null;
  /** When that token was made. */
  "issuedAtMs"?: number | null;
  /** Tokens for other roles, handed to a device that came with a setup code. */
  "deviceTokens"?: Array<HandedToken> | null;
};

/** The answer to a good `connect`. */
export type HelloOk = {
  /** Always `hello-ok`. */
  "type": HelloTag;
  /** Always [`PROTOCOL_VERSION`](crate::limits::PROTOCOL_VERSION). */
  "protocol": number;
  /** Who answers. */
  "server": ServerDescription;
  /** What may be called and heard. */
  "features": Features;
  /** How things stand. */
  "snapshot": HelloSnapshot;
  /** What this socket may do. */
  "auth": HelloAuth;
  /** The limits in force. */
  "policy": HelloPolicy;
  /** Where documents made for people are found, by kind; good for as long as this socket is open. */
  "pluginSurfaceUrls"?: Record<string, string> | null;
};

/** The limits in force. */
export type HelloPolicy = {
  /** Largest frame. */
  "maxPayload": number;
  /** What may wait unsent. */
  "maxBufferedBytes": number;
  /** How often `tick` comes. */
  "tickIntervalMs": number;
  /** How large attachments may be. */
  "attachments": AttachmentPolicy;
};

/** How things stand at the moment of connecting. */
export type HelloSnapshot = {
  /** Who is here. */
  "presence": Array<PresenceEntry>;
  /** The health snapshot. */
  "health": unknown;
  /** Versions of both. */
  "stateVersion": StateVersion;
  /** Since the gateway started. */
  "uptimeMs": number;
  /** Where a client that has no session yet should go. */
  "sessionDefaults": SessionDefaultsHint;
  /** For administrators only. */
  "configPath"?: string | null;
  /** For administrators only. */
  "stateDir"?: string | null;
  /** For administrators only. */
  "authMode"?: string | null;
};

/** The hello's `type`. */
export type HelloTag = "hello-ok";

/** The answer being written right now. */
export type InFlightRun = {
  /** Which run. */
  "runId": string;
  /** What it has said so far. */
  "text": string;
};

/** A transcript message with its role, as `final` carries it. */
export type InjectedMessage = {
  /** Always `assistant`. */
  "role": string;
  /** Text, thinking and tool calls in the order they were produced. */
  "content": Array<AssistantBlock>;
  /** The wire API used, for example `openai-completions`. */
  "api": string;
  /** The provider's id; `openclaw` for lines the gateway itself wrote, as existing clients expect. */
  "provider": string;
  /** The model's id; `gateway-injected` for lines the gateway itself wrote. */
  "model": string;
  /** What the call cost. */
  "usage": Usage;
  /** Why the model stopped. */
  "stopReason": StopReason;
  /** What went wrong, when `stop_reason` is `error` or `aborted`. */
  "errorMessage"?: string | null;
  /** When, in milliseconds since 1970. */
  "timestamp": number;
};

/** The manner in which a program was installed. */
export type InstallKind = "package" | "git" | "unknown";

/** Answer of [`LogsTail`]. */
export type LogsTailResult = {
  /** The log file. */
  "file": string;
  /** Where to go on. */
  "cursor": number;
  /** How large the file is. */
  "size": number;
  /** Oldest first. */
  "lines": Array<string>;
  /** Whether older lines were left out. */
  "truncated": boolean;
  /** Whether the file began anew since the cursor. */
  "reset": boolean;
  /** How much between the cursor and the first line was left out, in bytes. */
  "skippedBytes"?: number;
};

/** Answer of [`SessionMembersListEvidence`]. */
export type MembersEvidence = {
  /** Which conversation. */
  "sessionKey": string;
  /** Others than its owner; nobody. */
  "members": Array<unknown>;
};

/** One file of a memory. */
export type MemoryFile = {
  /** From the workspace on, with `/`. */
  "path": string;
  /** In bytes. */
  "size": number;
  /** When it last changed. */
  "updatedAtMs"?: number | null;
};

/** Answer of [`MemoryGet`]. */
export type MemoryGetResult = {
  /** Whose memory. */
  "agentId": string;
  /** Which. */
  "path": string;
  /** Its text. */
  "text": string;
  /** SHA-256 of it, in hex. */
  "hash": string;
  /** In bytes. */
  "size": number;
  /** When it last changed. */
  "updatedAtMs"?: number | null;
};

/** One passage that was found. */
export type MemoryHit = {
  /** In which file, from the workspace on. */
  "path": string;
  /** Its first line, counted from 1. */
  "startLine": number;
  /** Its last line. */
  "endLine": number;
  /** How well it fits, from 0 to 1. */
  "score": number;
  /** Its text, shortened. */
  "snippet": string;
  /** When the file last changed. */
  "updatedAtMs"?: number | null;
};

/** Answer of [`MemoryList`]. */
export type MemoryListResult = {
  /** Whose memory. */
  "agentId": string;
  /** Where. */
  "workspace": string;
  /** By path. */
  "files": Array<MemoryFile>;
  /** Present and true when there are more. */
  "truncated"?: boolean | null;
};

/** Answer of [`MemorySearch`]. */
export type MemorySearchResult = {
  /** Whose memory. */
  "agentId": string;
  /** The best first. */
  "results": Array<MemoryHit>;
  /** Present and true when there are more, or not everything was looked through. */
  "truncated"?: boolean | null;
};

/** Answer of [`MentionsList`]. */
export type MentionsListResult = {
  /** One per start of the gateway. */
  "gatewayInstanceId": string;
  /** Changes when the list does. */
  "revision": number;
  /** The places. */
  "items": Array<unknown>;
};

/** Messages, as counted from model calls: a run is what somebody said, a call an answer. */
export type MessageCounts = {
  /** All. */
  "total": number;
  /** From people. */
  "user": number;
  /** From models. */
  "assistant": number;
  /** Answers that asked for tools. */
  "toolCalls": number;
  /** As many. */
  "toolResults": number;
  /** Calls that gave no answer. */
  "errors": number;
};

/** One model on one day. */
export type ModelDay = {
  /** `YYYY-MM-DD`. */
  "date": string;
  /** The provider. */
  "provider": string;
  /** The model. */
  "model": string;
  /** All tokens. */
  "tokens": number;
  /** All money. */
  "cost": number;
  /** Calls. */
  "count": number;
};

/** What a million tokens cost, in US dollars. */
export type ModelPrice = {
  /** Read. */
  "input": number;
  /** Written. */
  "output": number;
  /** Read from the cache. */
  "cacheRead": number;
  /** Written to the cache. */
  "cacheWrite": number;
};

/** One model. */
export type ModelSummary = {
  /** The provider's name for it. */
  "id": string;
  /** A name for people. */
  "name": string;
  /** The provider. */
  "provider": string;
  /** How much it can read. */
  "contextWindow": number;
  /** Whether it can think. */
  "reasoning": boolean;
  /** What it can look at. */
  "input": Array<string>;
  /** `default` for the configured one. */
  "tags": Array<string>;
  /** How hard it can think. */
  "thinkingLevels": Array<ThinkingLevelOption>;
  /** How hard it thinks. */
  "thinkingDefault": string;
  /** Whether it can be used now. */
  "available": boolean;
  /** The longest answer, in tokens; with `includeDetails`. */
  "maxTokens"?: number | null;
  /** What a million tokens cost, in US dollars; with `includeDetails`. */
  "cost"?: ModelPrice | null;
  /** Whether the owner lets it be chosen; with `includeDetails`. */
  "allowed"?: boolean | null;
};

/** What one model, or one provider, cost. */
export type ModelUsage = {
  /** The provider. */
  "provider"?: string | null;
  /** The model; missing where models are added up. */
  "model"?: string | null;
  /** Calls. */
  "count": number;
  /** The sums. */
  "totals": UsageTotals;
};

/** Answer of [`ModelsAuthImport`]. */
export type ModelsAuthImportResult = {
  /** What was found. */
  "found": Array<FoundLogin>;
};

/** Answer of [`ModelsAuthLogout`]. */
export type ModelsAuthLogoutResult = {
  /** Whose. */
  "provider": string;
  /** What was forgotten. */
  "removedProfiles": Array<string>;
  /** Runs that were stopped for it; none are. */
  "abortedRunIds": Array<string>;
  /** What the person should know. */
  "warning"?: string | null;
};

/** Answer of [`ModelsAuthSetApiKey`]. */
export type ModelsAuthSetApiKeyResult = {
  /** Whose. */
  "provider": string;
  /** What it is kept as. */
  "profileId": string;
  /** What the person should know. */
  "warning"?: string | null;
};

/** Answer of [`ModelsAuthStatus`]. */
export type ModelsAuthStatusResult = {
  /** The gateway's clock. */
  "ts": number;
  /** Those that have a credential. */
  "providers": Array<ProviderAuthStatus>;
  /** All that are known. */
  "providerCapabilities": Array<ProviderCapability>;
  /** Why stored credentials could not be read. */
  "unavailable"?: string | null;
};

/** Answer of [`ModelsList`]. */
export type ModelsListResult = {
  /** The catalogue. */
  "models": Array<ModelSummary>;
};

/** Answer of [`ModelsProbe`]: the best of what its credentials brought, and each of them. */
export type ModelsProbeResult = {
  /** Whom. */
  "provider": string;
  /** `ok`, `auth`, `rate_limit`, `billing`, `timeout`, `format`, `unknown` or `no_model`. */
  "status": string;
  /** How long the answer took. */
  "latencyMs"?: number | null;
  /** Why there was none. */
  "error"?: string | null;
  /** One per credential. */
  "results": Array<ProbeOutcome>;
};

/** One node. */
export type Node = {
  /** Its device. */
  "nodeId": string;
  /** What its owner calls it, or it itself. */
  "displayName"?: string | null;
  /** For example `linux`. */
  "platform"?: string | null;
  /** Of its program; only while it is connected. */
  "version"?: string | null;
  /** Which program. */
  "clientId"?: string | null;
  /** In which manner it connects. */
  "clientMode"?: string | null;
  /** For example `iPhone`. */
  "deviceFamily"?: string | null;
  /** For example `iPhone17,1`. */
  "modelIdentifier"?: string | null;
  /** Where it is, or was when it was paired. */
  "remoteIp"?: string | null;
  /** Kinds of commands that may be used. */
  "caps": Array<string>;
  /** Commands that may be used: offered, approved and allowed by the gateway's lists. */
  "commands": Array<string>;
  /** What its operating system lets it do. */
  "permissions"?: Record<string, boolean>;
  /** Its PATH; only while it is connected. */
  "pathEnv"?: string | null;
  /** Whether it may connect. */
  "paired": boolean;
  /** Whether it is connected. */
  "connected": boolean;
  /** What the owner said about its commands. */
  "approvalState": NodeApproval;
  /** The question that waits, for [`NodePairApprove`]. */
  "pendingRequestId"?: string | null;
  /** What that question is about: kinds of commands. */
  "pendingDeclaredCaps"?: Array<string> | null;
  /** What that question is about: commands. */
  "pendingDeclaredCommands"?: Array<string> | null;
  /** What that question is about: permissions. */
  "pendingDeclaredPermissions"?: Record<string, boolean> | null;
  /** When its commands were approved. */
  "approvedAtMs"?: number | null;
  /** Since when it is connected. */
  "connectedAtMs"?: number | null;
  /** When it last connected. */
  "lastConnectedAtMs"?: number | null;
  /** When it was last heard of. */
  "lastSeenAtMs"?: number | null;
  /** How: `connect`, or why it woke. */
  "lastSeenReason"?: string | null;
  /** What its machine last said of itself: processors, memory, disk. */
  "hostStats"?: unknown;
  /** Whether it is the one that was used last. */
  "active"?: boolean | null;
  /** When a person last used it. */
  "lastActiveAtMs"?: number | null;
  /** When it last said so. */
  "presenceUpdatedAtMs"?: number | null;
};

/** What the owner said about what a node offers. */
export type NodeApproval = "approved" | "pending-approval" | "pending-reapproval" | "unapproved";

/** What was decided about a node. */
export type NodeDecision = "approved" | "rejected" | "removed";

/** Answer of [`NodeDescribe`]. */
export type NodeDescribeResult = {
  /** When. */
  "ts": number;
  /** Its device. */
  "nodeId": string;
  /** What its owner calls it, or it itself. */
  "displayName"?: string | null;
  /** For example `linux`. */
  "platform"?: string | null;
  /** Of its program; only while it is connected. */
  "version"?: string | null;
  /** Which program. */
  "clientId"?: string | null;
  /** In which manner it connects. */
  "clientMode"?: string | null;
  /** For example `iPhone`. */
  "deviceFamily"?: string | null;
  /** For example `iPhone17,1`. */
  "modelIdentifier"?: string | null;
  /** Where it is, or was when it was paired. */
  "remoteIp"?: string | null;
  /** Kinds of commands that may be used. */
  "caps": Array<string>;
  /** Commands that may be used: offered, approved and allowed by the gateway's lists. */
  "commands": Array<string>;
  /** What its operating system lets it do. */
  "permissions"?: Record<string, boolean>;
  /** Its PATH; only while it is connected. */
  "pathEnv"?: string | null;
  /** Whether it may connect. */
  "paired": boolean;
  /** Whether it is connected. */
  "connected": boolean;
  /** What the owner said about its commands. */
  "approvalState": NodeApproval;
  /** The question that waits, for [`NodePairApprove`]. */
  "pendingRequestId"?: string | null;
  /** What that question is about: kinds of commands. */
  "pendingDeclaredCaps"?: Array<string> | null;
  /** What that question is about: commands. */
  "pendingDeclaredCommands"?: Array<string> | null;
  /** What that question is about: permissions. */
  "pendingDeclaredPermissions"?: Record<string, boolean> | null;
  /** When its commands were approved. */
  "approvedAtMs"?: number | null;
  /** Since when it is connected. */
  "connectedAtMs"?: number | null;
  /** When it last connected. */
  "lastConnectedAtMs"?: number | null;
  /** When it was last heard of. */
  "lastSeenAtMs"?: number | null;
  /** How: `connect`, or why it woke. */
  "lastSeenReason"?: string | null;
  /** What its machine last said of itself: processors, memory, disk. */
  "hostStats"?: unknown;
  /** Whether it is the one that was used last. */
  "active"?: boolean | null;
  /** When a person last used it. */
  "lastActiveAtMs"?: number | null;
  /** When it last said so. */
  "presenceUpdatedAtMs"?: number | null;
};

/** Answer of [`NodeEvent`]. */
export type NodeEventHeard = {
  /** Always true: it arrived. */
  "ok": boolean;
  /** What. */
  "event"?: string | null;
  /** Whether anything follows from it. */
  "handled"?: boolean | null;
  /** What followed, or why nothing does. */
  "reason"?: string | null;
};

/** Whether what a node said was of use. */
export type NodeHeard = {
  /** Always true: the words arrived. */
  "ok": boolean;
  /** Nobody waits for it, or it is too late. */
  "ignored"?: boolean;
};

/** `node.hostStats`: how a node's machine is. */
export type NodeHostStatsEvent = {
  /** Which. */
  "nodeId": string;
  /** Processors, load, memory, disk, and when. */
  "hostStats": unknown;
};

/** Answer of [`NodeInvoke`]. */
export type NodeInvoked = {
  /** Always true; failures are errors. */
  "ok": boolean;
  /** Which node. */
  "nodeId": string;
  /** Which command. */
  "command": string;
  /** What came back. */
  "payload": unknown;
  /** The same as the node wrote it, if it did as text. */
  "payloadJSON": string | null;
};

/** Answer of [`NodeList`]. */
export type NodeListResult = {
  /** When. */
  "ts": number;
  /** The one that was used last, of those that say so. */
  "activeNodeId"?: string | null;
  /** Those that are connected first, then those that were. */
  "nodes": Array<Node>;
};

/** Parameters and answer of [`NodeRename`]. */
export type NodeName = {
  /** Which node. */
  "nodeId": string;
  /** Its name. */
  "displayName": string;
};

/** Answer of [`NodePairApprove`]. */
export type NodePairApproved = {
  /** The question. */
  "requestId": string;
  /** The node. */
  "node": PairedNodeRow;
};

/** Answer of [`NodePairList`]. */
export type NodePairListResult = {
  /** What waits for the owner. */
  "pending": Array<PendingNodeRow>;
  /** What the owner said yes to. */
  "paired": Array<PairedNodeRow>;
};

/** Answer of [`NodePairReject`]. */
export type NodePairRejected = {
  /** The question. */
  "requestId": string;
  /** Whose it was. */
  "nodeId": string;
};

/** `node.pair.requested`: a node would like to offer commands. */
export type NodePairRequestedEvent = PendingNodeRow;

/** `node.pair.resolved`: a node waits no more. */
export type NodePairResolvedEvent = {
  /** Which question; empty when a node was removed. */
  "requestId": string;
  /** Whose. */
  "nodeId": string;
  /** What was decided. */
  "decision": NodeDecision;
  /** When. */
  "ts": number;
};

/** Which node is meant. */
export type NodeParams = {
  /** Which. */
  "nodeId": string;
};

/** Answer of [`NodePendingAck`]. */
export type NodePendingAcked = {
  /** The node itself. */
  "nodeId": string;
  /** Those that waited. */
  "ackedIds": Array<string>;
  /** How many still wait. */
  "remainingCount": number;
};

/** One command that waits for its node. */
export type NodePendingAction = {
  /** Its name, for [`NodePendingAck`]. */
  "id": string;
  /** The command. */
  "command": string;
  /** What it is given, as JSON text. */
  "paramsJSON": string | null;
  /** Since when it waits. */
  "enqueuedAtMs": number;
};

/** Answer of [`NodePendingPull`]. */
export type NodePendingActions = {
  /** The node itself. */
  "nodeId": string;
  /** Oldest first. */
  "actions": Array<NodePendingAction>;
};

/** Answer of [`NodePendingDrain`]. */
export type NodePendingDrained = {
  /** The node itself. */
  "nodeId": string;
  /** Grows with every change of its queue. */
  "revision": number;
  /** Urgent ones first; they wait no more. */
  "items": Array<NodeWorkItem>;
  /** Whether more waits. */
  "hasMore": boolean;
};

/** Answer of [`NodePendingEnqueue`]. */
export type NodePendingEnqueued = {
  /** Which node. */
  "nodeId": string;
  /** Grows with every change of its queue. */
  "revision": number;
  /** What waits now. */
  "queued": NodeWorkItem;
  /** Whether the node was woken. */
  "wakeTriggered": boolean;
};

/** Answer of [`NodePluginSurfaceRefresh`]. */
export type NodePluginSurfaceResult = {
  /** Which page. */
  "surface": string;
  /** Where pages are. */
  "pluginSurfaceUrls": Record<string, string>;
  /** Until when. */
  "expiresAtMs"?: number | null;
};

/** `node.presence`: when a person last used a node. */
export type NodePresenceEvent = {
  /** Which. */
  "nodeId": string;
  /** When a person used it. */
  "lastActiveAtMs": number | null;
  /** When it said so. */
  "presenceUpdatedAtMs": number | null;
  /** Which node was used last. */
  "activeNodeId": string | null;
};

/** Answer of [`NodeInvokeProgress`]. */
export type NodeProgressHeard = {
  /** Always true. */
  "ok": boolean;
  /** Nobody waits for it. */
  "ignored": boolean;
};

/** One thing a sleeping node is to do. */
export type NodeWorkItem = {
  /** Its name. */
  "id": string;
  /** What is asked. */
  "type": NodeWorkType;
  /** How urgent it is. */
  "priority": NodeWorkPriority;
  /** Since when it waits. */
  "createdAtMs": number;
  /** Until when it is of interest. */
  "expiresAtMs"?: number | null;
  /** Particulars. */
  "payload"?: Record<string, unknown> | null;
};

/** How urgent it is. */
export type NodeWorkPriority = "normal" | "high";

/** What a sleeping node can be asked for. */
export type NodeWorkType = "status.request" | "location.request";

/** How an account's outbox is. */
export type OutboxState = {
  /** The platform. */
  "channel": string;
  /** Our account. */
  "accountId": string;
  /** What waits or is being sent. */
  "waiting": number;
  /** Since when the oldest of it waits. */
  "oldestAt"?: number | null;
  /** What was sent, as far as it is remembered. */
  "sent": number;
  /** What was given up. */
  "failed": number;
  /** What may have been sent twice: nobody knew at least once whether the platform took it. */
  "ambiguous": number;
};

/** Whether somebody who was let in became the owner. */
export type OwnerBootstrap = "not-requested" | "configured" | "already-configured" | "unavailable";

/** What was decided about a device. */
export type PairDecision = "approved" | "rejected";

/** A device that may connect. */
export type PairedDeviceRow = {
  /** Hex SHA-256 of its public key. */
  "deviceId": DeviceId;
  /** Its Ed25519 public key, in base64url. */
  "publicKey": string;
  /** What it calls itself. */
  "displayName"?: string | null;
  /** What the owner calls it. */
  "operatorLabel"?: string | null;
  /** For example `ios`. */
  "platform"?: string | null;
  /** For example `iPhone`. */
  "deviceFamily"?: string | null;
  /** Which program it runs. */
  "clientId"?: string | null;
  /** How that program uses the gateway. */
  "clientMode"?: string | null;
  /** The first role it was approved for. */
  "role"?: string | null;
  /** Every role it was approved for. */
  "roles": Array<string>;
  /** What it was approved for. */
  "scopes": Array<string>;
  /** Where it was when it was approved. */
  "remoteIp"?: string | null;
  /** `owner` when a person approved it, `silent` when it is on the gateway's machine. */
  "approvedVia"?: string | null;
  /** When it was first paired. */
  "createdAtMs": number;
  /** When it was last approved. */
  "approvedAtMs": number;
  /** When it last connected. */
  "lastSeenAtMs"?: number | null;
  /** Why that is known: `connect`. */
  "lastSeenReason"?: string | null;
  /** Whether it is connected now. */
  "connected": boolean;
  /** Its tokens, without the bearers. */
  "tokens": Array<DeviceTokenRow>;
};

/** A node that may offer commands. */
export type PairedNodeRow = {
  /** Which. */
  "nodeId": string;
  /** What its owner calls it, or it itself. */
  "displayName"?: string | null;
  /** For example `linux`. */
  "platform"?: string | null;
  /** For example `iPhone`. */
  "deviceFamily"?: string | null;
  /** Kinds of commands that were approved. */
  "caps": Array<string>;
  /** Commands that were approved. */
  "commands": Array<string>;
  /** Permissions that were approved. */
  "permissions"?: Record<string, boolean>;
  /** Where it was when it was paired. */
  "remoteIp"?: string | null;
  /** When it was paired. */
  "createdAtMs": number;
  /** When its commands were approved. */
  "approvedAtMs"?: number | null;
  /** When it last connected. */
  "lastConnectedAtMs"?: number | null;
};

/** An account strangers can write to. */
export type PairingAccount = {
  /** The platform. */
  "channel": string;
  /** What people call it. */
  "channelLabel": string;
  /** Which of our accounts. */
  "accountId": string;
  /** What the owner calls it. */
  "accountLabel"?: string | null;
  /** Whether somebody who is let in can be told so. */
  "notifySupported": boolean;
};

/** Answer of `channels.pairing.approve`. */
export type PairingApproved = {
  /** Which request. */
  "requestId": string;
  /** Who is let in. */
  "senderId": string;
  /** Whether they were told. */
  "notification": PairingNotification;
  /** Whether they are the owner now. */
  "commandOwnerBootstrap": OwnerBootstrap;
};

/** Answer of `channels.pairing.dismiss`. */
export type PairingDismissed = {
  /** Which request. */
  "requestId": string;
  /** Who is forgotten. */
  "senderId": string;
};

/** How many strangers may wait, and how long. */
export type PairingLimits = {
  /** At the same time. */
  "pendingPerAccount": number;
  /** Before they are forgotten. */
  "ttlMs": number;
};

/** Answer of [`ChannelsPairingList`]. */
export type PairingListResult = {
  /** The accounts strangers can write to. */
  "accounts": Array<PairingAccount>;
  /** Who waits. */
  "requests": Array<PairingRow>;
  /** Whether anybody on a platform is known as the owner. */
  "commandOwnerConfigured": boolean;
  /** How many may wait, and how long. */
  "limits": PairingLimits;
};

/** Whether somebody who was let in was told so. */
export type PairingNotification = "not-requested" | "sent" | "unsupported" | "failed";

/** A stranger who waits. */
export type PairingRow = {
  /** Names the request; it is the code the stranger was told. */
  "requestId": string;
  /** The platform. */
  "channel": string;
  /** What people call it. */
  "channelLabel": string;
  /** Which of our accounts. */
  "accountId": string;
  /** What the owner calls it. */
  "accountLabel"?: string | null;
  /** Whether somebody who is let in can be told so. */
  "notifySupported": boolean;
  /** Who they are to the platform. */
  "senderId": string;
  /** What they call themselves, else their id. */
  "senderLabel": string;
  /** What else they say of themselves. */
  "metadata"?: Record<string, string>;
  /** Since when, in ISO 8601. */
  "createdAt": string;
  /** When they last wrote. */
  "lastSeenAt": string;
  /** When they are forgotten. */
  "expiresAt": string;
};

/** An approval that waits. */
export type PendingApproval = {
  /** `exec` or `plugin`. */
  "approvalKind": string;
  /** Its name. */
  "id": string;
  /** What it is about. */
  "request": ExecApprovalDetails;
  /** Since when. */
  "createdAtMs": number;
  /** Until when. */
  "expiresAtMs": number;
};

/** An approval that waits. */
export type PendingApproval2 = {
  /** `exec` or `plugin`. */
  "approvalKind": string;
  /** Its name. */
  "id": string;
  /** What it is about. */
  "request": PluginApprovalDetails;
  /** Since when. */
  "createdAtMs": number;
  /** Until when. */
  "expiresAtMs": number;
};

/** A device that asks to be let in. What it says of itself is its own claim. */
export type PendingDeviceRow = {
  /** What approves or rejects it. */
  "requestId": string;
  /** Hex SHA-256 of its public key. */
  "deviceId": DeviceId;
  /** Its Ed25519 public key, in base64url. */
  "publicKey": string;
  /** What it calls itself. */
  "displayName"?: string | null;
  /** For example `ios`. */
  "platform"?: string | null;
  /** For example `iPhone`. */
  "deviceFamily"?: string | null;
  /** Which program it runs. */
  "clientId"?: string | null;
  /** How that program uses the gateway. */
  "clientMode"?: string | null;
  /** The page it asks from, when it is one. */
  "browserOrigin"?: string | null;
  /** The role it wants. */
  "role": string;
  /** The same as a list. */
  "roles": Array<string>;
  /** The scopes it wants. */
  "scopes": Array<string>;
  /** Where it asks from. */
  "remoteIp"?: string | null;
  /** Whether nobody is to be asked. */
  "silent": boolean;
  /** Whether it is paired already and wants more. */
  "isRepair": boolean;
  /** When it last asked. */
  "ts": number;
  /** When the request is forgotten unless it asks again. Homard's own. */
  "expiresAtMs": number;
};

/** One message accepted but not yet begun. */
export type PendingInput = {
  /** Its run. */
  "runId": string;
  /** What was said. */
  "text": string;
};

/** Messages accepted but not yet begun. */
export type PendingInputs = {
  /** The newest of them. */
  "items": Array<PendingInput>;
  /** All of them. */
  "total": number;
};

/** A node asks to offer commands. */
export type PendingNodeRow = {
  /** The question. */
  "requestId": string;
  /** Whose. */
  "nodeId": string;
  /** What its owner calls it, or it itself. */
  "displayName"?: string | null;
  /** For example `linux`. */
  "platform"?: string | null;
  /** Of its program. */
  "version"?: string | null;
  /** For example `iPhone`. */
  "deviceFamily"?: string | null;
  /** Kinds of commands. */
  "caps": Array<string>;
  /** Commands, as far as the gateway's lists would let them be used. */
  "commands": Array<string>;
  /** What its operating system lets it do. */
  "permissions"?: Record<string, boolean>;
  /** Where it connects from. */
  "remoteIp"?: string | null;
  /** Whether its device was let in without a question. */
  "silent"?: boolean;
  /** The scopes somebody needs to say yes. */
  "requiredApproveScopes": Array<string>;
  /** Since when it waits. */
  "ts": number;
};

/** What an approval of any other tool is about. */
export type PluginApprovalDetails = {
  /** What is asked, in a line. */
  "title": string;
  /** What would be done, and why it is asked about. */
  "description": string;
  /** What would be done, whole, where the description had to leave some of it out. */
  "detail"?: string | null;
  /** `info`, `warning` or `critical`. */
  "severity": string;
  /** The tool. */
  "toolName"?: string | null;
  /** The call. */
  "toolCallId"?: string | null;
  /** Why the person is asked. Homard's own. */
  "reasons"?: Array<string>;
  /** What may be said. */
  "allowedDecisions": Array<ApprovalDecision>;
  /** Whose turn. */
  "agentId"?: string | null;
  /** The conversation. */
  "sessionKey"?: string | null;
  /** The turn. */
  "runId"?: string | null;
};

/** `plugin.approval.requested`: another tool waits for an answer. */
export type PluginApprovalRequestedEvent = PendingApproval2;

/** `plugin.approval.resolved`: another tool waits no more. */
export type PluginApprovalResolvedEvent = ApprovalEnd2;

/** One client, node or the gateway itself. */
export type PresenceEntry = {
  /** When this entry was made or refreshed. */
  "ts": number;
  /** Host or program name. */
  "host"?: string | null;
  /** Which program. */
  "clientId"?: string | null;
  /** From where. */
  "ip"?: string | null;
  /** Its version. */
  "version"?: string | null;
  /** Its operating system. */
  "platform"?: string | null;
  /** Its kind of device. */
  "deviceFamily"?: string | null;
  /** Its hardware. */
  "modelIdentifier"?: string | null;
  /** Its time zone. */
  "timeZone"?: string | null;
  /** In which manner it is connected. */
  "mode"?: string | null;
  /** Seconds since a person touched it. */
  "lastInputSeconds"?: number | null;
  /** Why this entry is here: `self`, `connect`, `disconnect` … */
  "reason"?: string | null;
  /** One line for people. */
  "text"?: string | null;
  /** Since when it is connected. */
  "onlineSince"?: number | null;
  /** Its device key. */
  "deviceId"?: string | null;
  /** What it is. */
  "roles"?: Array<string>;
  /** What it may do. */
  "scopes"?: Array<string>;
  /** One per running program. */
  "instanceId"?: string | null;
};

/** `presence`: the whole list, each time. */
export type PresenceEvent = {
  /** Who is here. */
  "presence": Array<PresenceEntry>;
};

/** One previewed message. */
export type PreviewItem = {
  /** Who. */
  "role": string;
  /** What, cut. */
  "text": string;
};

/** What one credential brought. */
export type ProbeOutcome = {
  /** Which; none when there is none to try. */
  "profileId"?: string | null;
  /** Its name for people. */
  "label": string;
  /** As in [`ModelsProbeResult::status`]. */
  "status": string;
  /** How long the answer took. */
  "latencyMs"?: number | null;
  /** Why there was none. */
  "error"?: string | null;
  /** What can be done about it. */
  "hint"?: string | null;
  /** The model that was asked. */
  "model"?: string | null;
};

/** Answer of [`ProgressCardGet`]. */
export type ProgressCardResult = {
  /** `null` when there is none. */
  "card": unknown;
};

/** Answer of [`ProjectsList`]. */
export type ProjectsListResult = {
  /** The folders. */
  "projects": Array<unknown>;
};

/** The sizes of everything a conversation's first request carries, in characters. */
export type PromptReport = {
  /** `run`: it is what a turn was told; `estimate`: what the next one would be. */
  "source": string;
  /** When, milliseconds since 1970. */
  "generatedAt": number;
  /** `full`, `minimal` or `none`. */
  "mode": string;
  /** Who was asked. */
  "model": string;
  /** The agent's folder. */
  "workspaceDir": string;
  /** The limit for one file. */
  "bootstrapMaxChars": number;
  /** The limit for all files. */
  "bootstrapTotalMaxChars": number;
  /** The prompt. */
  "systemPrompt": PromptSize;
  /** Its parts, in order. */
  "sections": Array<SectionSize>;
  /** The owner's files. */
  "injectedWorkspaceFiles": Array<FileSize>;
  /** The block of skills. */
  "skills": SkillsSize;
  /** What is told of the tools. */
  "tools": ToolsSize;
};

/** The size of a prompt. */
export type PromptSize = {
  /** All of it. */
  "chars": number;
  /** The owner's files. */
  "projectContextChars": number;
  /** The rest. */
  "nonProjectContextChars": number;
};

/** What is at hand for one provider. */
export type ProviderAuthStatus = {
  /** Which. */
  "provider": string;
  /** Whose credentials it uses. */
  "authProvider": string;
  /** Its name. */
  "displayName": string;
  /** `ok`, `static` (a key of configuration or environment), `expiring`, `expired`, `cooldown` or `missing`. */
  "status": string;
  /** Stored credentials. */
  "profiles": Array<AuthProfileStatus>;
  /** Where a key comes from that is not stored. */
  "apiKey"?: ApiKeySource | null;
};

/** How one can get in at a provider. */
export type ProviderCapability = {
  /** Which. */
  "provider": string;
  /** Its name. */
  "displayName": string;
  /** Whether it asks for nothing: a server of one's own. */
  "keyless": boolean;
  /** Whether a key can be stored. */
  "apiKeySupported": boolean;
  /** Whether a key is all it takes. */
  "quickApiKeySetup": boolean;
  /** Ways to log in. */
  "loginOptions"?: Array<string> | null;
};

/** A provider's own limits. */
export type ProviderQuota = {
  /** Its id. */
  "provider": string;
  /** Its name. */
  "displayName": string;
  /** Its limits. */
  "windows": Array<QuotaWindow>;
  /** The plan that was bought. */
  "plan"?: string | null;
  /** Why nothing is known. */
  "error"?: string | null;
};

/** Answer of [`QuestionList`]. */
export type QuestionListResult = {
  /** The questions. */
  "questions": Array<unknown>;
};

/** One limit of a provider. */
export type QuotaWindow = {
  /** For example `5h` or `Week`. */
  "label": string;
  /** 0 to 100. */
  "usedPercent": number;
  /** When it starts anew. */
  "resetAt"?: number | null;
};

/** A folder that went. */
export type RemovedPath = {
  /** Which. */
  "path": string;
  /** `trash`, or `missing` when it was not there. */
  "method": string;
};

/** What a turn would use. */
export type ResolvedModel = {
  /** The provider. */
  "modelProvider": string;
  /** The model. */
  "model": string;
};

/** What a socket is. */
export type Role = "operator" | "node";

/** An attempt that did not answer, and why. */
export type RunAttempt = {
  /** Who was asked. */
  "provider": string;
  /** For which model. */
  "model": string;
  /** With which credential, by its name. */
  "profile"?: string | null;
  /** Why it did not answer, in one word. */
  "reason": string;
  /** The HTTP status, when there was one. */
  "status"?: number | null;
  /** What it said. */
  "error": string;
  /** How long it took, in milliseconds. */
  "tookMs": number;
  /** What was done about it. */
  "next": unknown;
};

/** One model call of a run. */
export type RunCall = {
  /** When it began. */
  "timestamp": number;
  /** Who was asked. */
  "provider": string;
  /** For which model. */
  "model": string;
  /** With which credential, by its name. */
  "profile"?: string | null;
  /** How much it was to think. */
  "thinking"?: string | null;
  /** `settled`, `open` or `lost`. */
  "state": string;
  /** How it ended. */
  "outcome": string;
  /** Milliseconds until the first word. */
  "firstMs"?: number | null;
  /** Milliseconds until the end. */
  "totalMs": number;
  /** What it cost. */
  "usage": Usage;
};

/** One finished run. */
export type RunUsage = {
  /** Its id. */
  "runId": string;
  /** The conversation. */
  "sessionKey": string;
  /** `ok`, `error`, `aborted`, `timed-out` or `interrupted`. */
  "status": string;
  /** When it began. */
  "startedAt"?: number | null;
  /** When it ended. */
  "endedAt"?: number | null;
  /** Who answered. */
  "provider"?: string | null;
  /** With which model. */
  "model"?: string | null;
  /** What went wrong. */
  "error"?: string | null;
  /** What all its calls used. */
  "usage": Usage;
  /** What did not answer, in order. */
  "attempts": Array<RunAttempt>;
  /** Its model calls, in order. */
  "calls": Array<RunCall>;
};

/** Answer of [`DeviceScopesRequestUpgrade`]. */
export type ScopeUpgradeAsked = {
  /** What the owner approves or rejects; also the parameters of [`DeviceScopesWaitUpgrade`]. */
  "requestId": string;
};

/** Answer of [`DeviceScopesWaitUpgrade`]. `Debug` hides the token. */
export type ScopeUpgradeOutcome = {
  /** What was decided. */
  "status": ScopeUpgradeStatus;
  /** About which request. */
  "requestId": string;
  /** To connect with from now on. */
  "deviceToken"?: string | null;
  /** What that may do. */
  "scopes"?: Array<string> | null;
};

/** What was decided about a device that wants to do more. */
export type ScopeUpgradeStatus = "approved" | "rejected" | "expired";

/** Answer of [`SecretsReload`]. */
export type SecretsReloaded = {
  /** The new values are in use. */
  "ok": boolean;
  /** What is odd about the configuration, counted. */
  "warningCount": number;
};

/** The size of one part of the prompt. */
export type SectionSize = {
  /** Which. */
  "name": string;
  /** How much. */
  "chars": number;
};

/** Who answers. */
export type ServerDescription = {
  /** Homard's version. */
  "version": string;
  /** This connection. */
  "connId": string;
  /** One per start of the gateway. */
  "bootId": string;
};

/** What a session without overrides would use. */
export type SessionDefaults = {
  /** The provider. */
  "modelProvider": string;
  /** The model. */
  "model": string;
  /** Its window. */
  "contextTokens": number;
  /** How hard it can think. */
  "thinkingLevels": Array<ThinkingLevelOption>;
  /** How hard it thinks. */
  "thinkingDefault": string;
};

/** Where a client that has no session yet should go. */
export type SessionDefaultsHint = {
  /** The agent that answers by default. */
  "defaultAgentId": string;
  /** Always `main`. */
  "mainKey": string;
  /** The main conversation's key. */
  "mainSessionKey": string;
  /** `per-sender` or `global`. */
  "scope": string;
  /** Whether a real model is configured. */
  "modelConfigured": boolean;
};

/** What a new conversation in a drawer begins with. */
export type SessionGroupDefaults = {
  /** Its name. */
  "name": string;
  /** The folder it works in. */
  "cwd"?: string | null;
  /** Whether it gets a working copy of its own. */
  "worktree"?: boolean | null;
};

/** A drawer. */
export type SessionGroupRow = {
  /** Its name. */
  "name": string;
  /** Its place, from 0. */
  "position": number;
};

/** `session.message`: for sockets that called `sessions.messages.subscribe` for the session, or `sessions.subscribe`. */
export type SessionMessageEvent = {
  /** Which session. */
  "sessionKey": string;
  /** Whose. */
  "agentId"?: string | null;
  /** What was said, as `chat.history` shows it. */
  "message": unknown;
  /** Its entry. */
  "messageId": string;
  /** Its place in the transcript. */
  "messageSeq": number;
  /** The session's row. */
  "session": SessionRow;
};

/** The last words of one session. */
export type SessionPreview = {
  /** As asked. */
  "key": string;
  /** `ok`, `empty`, `missing` or `error`. */
  "status": string;
  /** Oldest first. */
  "items": Array<PreviewItem>;
};

/** One session as lists show it. Clients treat it as open: fields they do not know are ignored. */
export type SessionRow = {
  /** The session key. */
  "key": string;
  /** `direct`, `group`, `global` or `unknown`. */
  "kind": string;
  /** `main`, `direct`, `group`, `cron`, `subagent`, `hook` … */
  "classification"?: string | null;
  /** The transcript. */
  "sessionId"?: string | null;
  /** Whose. */
  "agentId"?: string | null;
  /** Whether it is the agent's main conversation. */
  "isMain": boolean;
  /** Whether nobody types here: cron, hooks, subagents. */
  "isBackground": boolean;
  /** A name somebody gave. */
  "label"?: string | null;
  /** A name made for it. */
  "autoLabel"?: string | null;
  /** The drawer it lies in. */
  "category"?: string | null;
  /** Its sign. */
  "icon"?: string | null;
  /** Its colour. */
  "color"?: string | null;
  /** A note about how it stands. */
  "statusNote"?: string | null;
  /** The conversation it comes from. */
  "parentSessionKey"?: string | null;
  /** Who made it. */
  "createdVia"?: string | null;
  /** `user` where somebody chose the model. */
  "modelOverrideSource"?: string | null;
  /** A name the platform gave. */
  "displayName"?: string | null;
  /** The beginning of the first message. */
  "derivedTitle"?: string | null;
  /** The beginning of the last message. */
  "lastMessagePreview"?: string | null;
  /** The platform. */
  "channel"?: string | null;
  /** `direct`, `group` or `channel`. */
  "chatType"?: string | null;
  /** When it last changed. */
  "updatedAt": number | null;
  /** When it was made. */
  "createdAt"?: number | null;
  /** When somebody last wrote. */
  "lastInteractionAt"?: number | null;
  /** When anything last happened. */
  "lastActivityAt"?: number | null;
  /** Whether it was put away. */
  "archived": boolean;
  /** Whether it is kept on top. */
  "pinned": boolean;
  /** Whether something is new since somebody last looked. */
  "unread": boolean;
  /** `running`, `done`, `failed`, `killed`, `timeout`. */
  "status"?: string | null;
  /** Whether a run is under way. */
  "hasActiveRun": boolean;
  /** Which runs. */
  "activeRunIds"?: Array<string>;
  /** Whether the last run was stopped. */
  "abortedLastRun": boolean;
  /** Whether the system prompt has been sent. */
  "systemSent": boolean;
  /** Prompt tokens of the last run. */
  "inputTokens"?: number | null;
  /** Answer tokens of the last run. */
  "outputTokens"?: number | null;
  /** Size of the context at the last call. */
  "totalTokens"?: number | null;
  /** Whether `total_tokens` can be trusted. */
  "totalTokensFresh"?: boolean | null;
  /** The model's window. */
  "contextTokens"?: number | null;
  /** The provider in use. */
  "modelProvider"?: string | null;
  /** The model in use. */
  "model"?: string | null;
  /** How hard to think. */
  "thinkingLevel"?: string | null;
  /** How much to show. */
  "verboseLevel"?: string | null;
  /** Whether reasoning is shown. */
  "reasoningLevel"?: string | null;
  /** Whether commands may run outside the sandbox. */
  "elevatedLevel"?: string | null;
  /** The usage footer. */
  "responseUsage"?: string | null;
  /** Whether answers may be sent. */
  "sendPolicy"?: string | null;
  /** When a group is answered. */
  "groupActivation"?: string | null;
  /** The session that made this one. */
  "spawnedBy"?: string | null;
};

/** What one conversation cost. */
export type SessionUsage = {
  /** Prompt tokens not served from a cache. */
  "input": number;
  /** Tokens produced. */
  "output": number;
  /** Prompt tokens served from a cache. */
  "cacheRead": number;
  /** Prompt tokens written to a cache. */
  "cacheWrite": number;
  /** All tokens. */
  "totalTokens": number;
  /** All money. */
  "totalCost": number;
  /** For prompts. */
  "inputCost": number;
  /** For answers. */
  "outputCost": number;
  /** For cached parts of prompts. */
  "cacheReadCost": number;
  /** For filling caches. */
  "cacheWriteCost": number;
  /** Calls of models without a price. */
  "missingCostEntries": number;
  /** How many calls reached a model; attempts that were turned away are not among them. */
  "calls": number;
  /** Calls nobody saw the end of; they are in the sums with the most they can have cost. */
  "lostCalls": number;
  /** Its first call in the range. */
  "firstActivity": number;
  /** Its last call in the range. */
  "lastActivity": number;
  /** Between the two, in milliseconds. */
  "durationMs": number;
  /** Days with a call. */
  "activityDates": Array<string>;
  /** Day by day. */
  "dailyBreakdown": Array<UsageDayShort>;
  /** Messages, as counted from calls. */
  "messageCounts": MessageCounts;
  /** Model by model. */
  "modelUsage": Array<ModelUsage>;
};

/** One message and what it cost. */
export type SessionUsageLog = {
  /** When. */
  "timestamp": number;
  /** `user`, `assistant` or `toolResult`. */
  "role": string;
  /** What, cut. */
  "content": string;
  /** The call's tokens. */
  "tokens"?: number | null;
  /** The call's cost. */
  "cost"?: number | null;
};

/** A call, or several that follow each other. */
export type SessionUsagePoint = {
  /** When the first of them began. */
  "timestamp": number;
  /** Prompt tokens not served from a cache. */
  "input": number;
  /** Tokens produced. */
  "output": number;
  /** Prompt tokens served from a cache. */
  "cacheRead": number;
  /** Prompt tokens written to a cache. */
  "cacheWrite": number;
  /** All tokens. */
  "totalTokens": number;
  /** All money. */
  "cost": number;
  /** Tokens up to and with this point. */
  "cumulativeTokens": number;
  /** Money up to and with this point. */
  "cumulativeCost": number;
};

/** One conversation. */
export type SessionUsageRow = {
  /** Its key. */
  "key": string;
  /** A name somebody gave. */
  "label"?: string | null;
  /** Its transcript; missing when it was deleted. */
  "sessionId"?: string | null;
  /** `instance`: Homard does not join conversations. */
  "scope": string;
  /** When it last changed. */
  "updatedAt"?: number | null;
  /** Whose. */
  "agentId"?: string | null;
  /** The platform. */
  "channel"?: string | null;
  /** `direct`, `group` or `channel`. */
  "chatType"?: string | null;
  /** Who would answer now. */
  "modelProvider"?: string | null;
  /** With which model. */
  "model"?: string | null;
  /** The size of the last prompt: what the model has before it now. */
  "totalTokens"?: number | null;
  /** The model's window. */
  "contextTokens"?: number | null;
  /** What it cost in the range; `null` when it made no call. */
  "usage": SessionUsage | null;
  /** Always false. */
  "hasContextWeight": boolean;
};

/** Answer of [`SessionsAbort`]. */
export type SessionsAbortResult = {
  /** Always true. */
  "ok": boolean;
  /** The run that was stopped. */
  "abortedRunId": string | null;
  /** `aborted` or `no-active-run`. */
  "status": string;
};

/** `sessions.changed`: for sockets that called `sessions.subscribe`. */
export type SessionsChangedEvent = {
  /** Which session. */
  "sessionKey": string;
  /** Whose. */
  "agentId"?: string | null;
  /** Its transcript. */
  "sessionId"?: string | null;
  /** Why: `create`, `send`, `patch`, `reset`, `new`, `delete`, `abort` … */
  "reason": string;
  /** When. */
  "ts": number;
  /** Its row now; absent when it is gone. */
  "session"?: SessionRow | null;
  /** Whether a run is under way. */
  "hasActiveRun": boolean;
  /** Which runs are. */
  "activeRunIds": Array<string>;
};

/** Answer of [`SessionsCleanup`]. */
export type SessionsCleanupResult = {
  /** Always true. */
  "ok": boolean;
  /** `warn` or `enforce`. */
  "mode": string;
  /** Whether nothing was done. */
  "dryRun": boolean;
  /** Sessions before. */
  "beforeCount": number;
  /** Sessions after, or as they would be. */
  "afterCount": number;
  /** Older than the age limit. */
  "pruned": number;
  /** Beyond the number that is kept. */
  "capped": number;
  /** Without their transcript. */
  "missing": number;
  /** Whether there was anything to do. */
  "wouldMutate": boolean;
  /** The keys; they can be restored. */
  "removed": Array<string>;
};

/** Answer of [`SessionsCompact`]. */
export type SessionsCompactResult = {
  /** Always true. */
  "ok": boolean;
  /** The canonical key. */
  "key": string;
  /** Whether the conversation is shorter now. */
  "compacted": boolean;
  /** Why it is not. */
  "reason"?: string | null;
  /** Entries kept word for word. */
  "kept"?: number | null;
  /** What was done. */
  "result"?: CompactedConversation | null;
};

/** Answer of [`SessionsContext`]. */
export type SessionsContextResult = {
  /** The conversation. */
  "key": string;
  /** Prompt, files, skills and tools. */
  "report": PromptReport;
  /** How many messages the model is told. */
  "messages": number;
  /** How many tokens these are guessed to be. */
  "messageTokens": number;
  /** The context that may be used, in tokens. */
  "contextTokens": number;
};

/** Answer of [`SessionsCreate`]. */
export type SessionsCreateResult = {
  /** Always true. */
  "ok": boolean;
  /** The canonical key. */
  "key": string;
  /** Its transcript. */
  "sessionId": string;
  /** The stored settings. */
  "entry": unknown;
  /** Whether a first run was started. */
  "runStarted": boolean;
  /** Which. */
  "runId"?: string | null;
  /** Why not, when one was wanted. */
  "runError"?: unknown;
  /** What a turn would use. */
  "resolved": ResolvedModel;
};

/** Answer of [`SessionsDelete`]. */
export type SessionsDeleteResult = {
  /** Always true. */
  "ok": boolean;
  /** The canonical key. */
  "key": string;
  /** Whether there was one. */
  "deleted": boolean;
  /** Where the transcript went. */
  "archived": Array<string>;
};

/** Answer of [`SessionsDescribe`]. */
export type SessionsDescribeResult = {
  /** `null` when there is none. */
  "session": SessionRow | null;
};

/** Answer of [`SessionsEnded`]. */
export type SessionsEndedResult = {
  /** The last ended first. */
  "sessions": Array<EndedSessionRow>;
};

/** Answer of [`SessionsFork`]. */
export type SessionsForkResult = {
  /** The new conversation. */
  "sessionKey": string;
  /** The question that comes next, to be changed or sent as it is. */
  "editorText"?: string | null;
  /** The files that came with it. */
  "editorAttachments"?: Array<EditorAttachment> | null;
};

/** Answer of [`SessionsGet`]. */
export type SessionsGetResult = {
  /** Oldest first. */
  "messages": Array<unknown>;
};

/** Answer of [`SessionsGroupsDefaults`]. */
export type SessionsGroupsDefaultsResult = {
  /** In order. */
  "defaults": Array<SessionGroupDefaults>;
};

/** Answer of [`SessionsGroupsList`]. */
export type SessionsGroupsListResult = {
  /** In order. */
  "groups": Array<SessionGroupRow>;
  /** The order of the list's sections, as a client left it. */
  "sectionOrder"?: Array<string> | null;
};

/** Answer of what changes the list of drawers. */
export type SessionsGroupsMutationResult = {
  /** Always true. */
  "ok": boolean;
  /** In order. */
  "groups": Array<SessionGroupRow>;
  /** See [`SessionsGroupsListResult`]. */
  "sectionOrder"?: Array<string> | null;
  /** Conversations that moved. */
  "updatedSessions"?: number | null;
};

/** Answer of [`SessionsGroupsUpdate`]. */
export type SessionsGroupsUpdateResult = {
  /** Always true. */
  "ok": boolean;
  /** In order. */
  "defaults": Array<SessionGroupDefaults>;
};

/** Answer of [`SessionsList`]. */
export type SessionsListResult = {
  /** The gateway's clock. */
  "ts": number;
  /** Where the rows are kept. */
  "path": string;
  /** Rows in this page. */
  "count": number;
  /** Rows in all pages. */
  "totalCount": number;
  /** Page size. */
  "limitApplied": number;
  /** Where the next page starts. */
  "nextOffset": number | null;
  /** Whether there is one. */
  "hasMore": boolean;
  /** People; Homard has one owner and lists none. */
  "owners": Array<unknown>;
  /** What a session without overrides would use. */
  "defaults": SessionDefaults;
  /** The page. */
  "sessions": Array<SessionRow>;
};

/** Answer of [`SessionsMessagesSubscribe`] and [`SessionsMessagesUnsubscribe`]. */
export type SessionsMessagesResult = {
  /** Whether this socket hears them from now on. */
  "subscribed": boolean;
  /** The whole key. */
  "key": string;
};

/** Answer of [`SessionsPatch`]. */
export type SessionsPatchResult = {
  /** Always true. */
  "ok": boolean;
  /** Where it is kept. */
  "path": string;
  /** The canonical key. */
  "key": string;
  /** The stored settings. */
  "entry": unknown;
  /** What a turn would use now. */
  "resolved": ResolvedModel;
};

/** Answer of [`SessionsPreview`]. */
export type SessionsPreviewResult = {
  /** The gateway's clock. */
  "ts": number;
  /** One for each key. */
  "previews": Array<SessionPreview>;
};

/** Answer of [`SessionsReset`]. */
export type SessionsResetResult = {
  /** Always true. */
  "ok": boolean;
  /** The canonical key. */
  "key": string;
  /** The stored settings. */
  "entry": unknown;
  /** What a turn would use now. */
  "resolved": ResolvedModel;
};

/** Answer of [`SessionsResolve`]. */
export type SessionsResolveResult = {
  /** Whether it was found. */
  "ok": boolean;
  /** The canonical key. */
  "key"?: string | null;
  /** Whose. */
  "agentId"?: string | null;
  /** Its transcript. */
  "sessionId"?: string | null;
};

/** Answer of [`SessionsRestore`]. */
export type SessionsRestoreResult = {
  /** Always true. */
  "ok": boolean;
  /** Its key. */
  "key": string;
  /** Its transcript. */
  "sessionId": string;
  /** The stored settings. */
  "entry": unknown;
};

/** Answer of [`SessionsRewind`]. */
export type SessionsRewindResult = {
  /** The question that was taken back, to be changed or sent as it is. */
  "editorText"?: string | null;
  /** The files that came with it. */
  "editorAttachments"?: Array<EditorAttachment> | null;
};

/** One message that was found. */
export type SessionsSearchHit = {
  /** In which session. */
  "sessionKey": string;
  /** In which transcript. */
  "sessionId": string;
  /** Which entry. */
  "messageId": string;
  /** `user` or `assistant`. */
  "role": string;
  /** When it was said. */
  "timestamp": number;
  /** The words around the first one found. */
  "snippet": string;
  /** How well it fits; more is better. */
  "score": number;
};

/** Answer of [`SessionsSearch`]. */
export type SessionsSearchResult = {
  /** The best first. */
  "results": Array<SessionsSearchHit>;
  /** The sessions of the hits. */
  "sessions": Array<SessionRow>;
  /** Present and true while transcripts are still being read. */
  "indexing"?: boolean | null;
  /** Present and true when there are more. */
  "truncated"?: boolean | null;
};

/** Answer of [`SessionsSubscribe`]. */
export type SessionsSubscribeResult = {
  /** Always true. */
  "subscribed": boolean;
  /** The list, when the request had any filter. */
  "list"?: SessionsListResult | null;
};

/** Answer of [`SessionsUsageLogs`]. */
export type SessionsUsageLogsResult = {
  /** Oldest first. */
  "logs": Array<SessionUsageLog>;
};

/** Answer of [`SessionsUsage`]. */
export type SessionsUsageResult = {
  /** The gateway's clock. */
  "updatedAt": number;
  /** The first day. */
  "startDate": string;
  /** The last day. */
  "endDate": string;
  /** Conversations, the latest first, also those without a call. */
  "sessions": Array<SessionUsageRow>;
  /** All calls in the range. */
  "totals": UsageTotals;
  /** The same, cut in every direction. */
  "aggregates": UsageAggregates;
  /** People; Homard has one owner and lists none. */
  "creatorOptions": Array<unknown>;
  /** How complete this is. */
  "cacheStatus": UsageCacheStatus;
};

/** Answer of [`SessionsUsageTimeseries`]. */
export type SessionsUsageTimeseriesResult = {
  /** The transcript the points are about; missing when the conversation is gone. */
  "sessionId"?: string | null;
  /** Oldest first, at most [`MAX_POINTS`]. */
  "points": Array<SessionUsagePoint>;
};

/** Answer of [`SetHeartbeats`]. */
export type SetHeartbeatsResult = {
  /** Always. */
  "ok": boolean;
  /** As it is now. */
  "enabled": boolean;
};

/** What a code gives, as clients are told. */
export type SetupAccess = "full" | "limited" | "node";

/** Answer of [`DevicePairSetupCode`]. `Debug` hides the code. */
export type SetupCodeResult = {
  /** What `device.pair.setupStatus` asks for. */
  "setupId": string;
  /** When the code ends. */
  "expiresAtMs": number;
  /** What the device reads. */
  "setupCode": string;
  /** Hands the code out once. */
  "joinUrl"?: string | null;
  /** The code as a picture. */
  "qrDataUrl"?: string | null;
  /** Where the device will connect. */
  "gatewayUrl": string;
  /** What the gateway asks everybody else for: `token`, `password` or `none`. */
  "auth": string;
  /** Where the address comes from. */
  "urlSource": string;
  /** What the device may do. */
  "access": SetupAccess;
  /** That it may do less than was asked for, because the road to it is not encrypted. */
  "accessDowngraded"?: boolean | null;
};

/** A device came in with a code. */
export type SetupCompletion = {
  /** Which code. */
  "setupId": string;
  /** Which device. */
  "deviceId": DeviceId;
  /** What it calls itself. */
  "deviceName"?: string | null;
  /** What it may do. */
  "access": SetupAccess;
  /** When. */
  "ts": number;
};

/** Answer of [`DevicePairSetupStatus`]. */
export type SetupStatusResult = {
  /** Who came with the code; absent while nobody did. */
  "completion"?: SetupCompletion | null;
};

/** `shutdown`: the last event before the sockets close. */
export type ShutdownEvent = {
  /** Why. */
  "reason": string;
  /** When to come back. */
  "restartExpectedMs"?: number | null;
};

/** One setting a skill needs. */
export type SkillConfigCheck = {
  /** Where. */
  "path": string;
  /** Whether it is on. */
  "satisfied": boolean;
};

/** One way to install what a skill needs. */
export type SkillInstallOption = {
  /** What `skills.install` is told. */
  "id": string;
  /** `brew`, `node`, `go`, `uv` or `download`. */
  "kind": string;
  /** In words. */
  "label": string;
  /** The programs it brings. */
  "bins": Array<string>;
};

/** What a skill needs of the machine and the configuration. */
export type SkillNeeds = {
  /** All of these programs. */
  "bins": Array<string>;
  /** One of these programs. */
  "anyBins": Array<string>;
  /** These variables. */
  "env": Array<string>;
  /** These settings. */
  "config": Array<string>;
  /** One of these systems. */
  "os": Array<string>;
};

/** One skill, and whether the agent has it. */
export type SkillStatus = {
  /** Its name. */
  "name": string;
  /** What it is for. */
  "description": string;
  /** Which kind of place it comes from. */
  "source": string;
  /** Whether it came with the program. */
  "bundled": boolean;
  /** Its `SKILL.md`. */
  "filePath": string;
  /** Its folder. */
  "baseDir": string;
  /** Its key under `skills.entries`. */
  "skillKey": string;
  /** A picture for lists. */
  "emoji"?: string | null;
  /** Where to read more. */
  "homepage"?: string | null;
  /** The variable that `apiKey` fills. */
  "primaryEnv"?: string | null;
  /** Whether it asks for nothing of the machine. */
  "always": boolean;
  /** Whether the owner turned it off. */
  "disabled": boolean;
  /** Whether `skills.allowBundled` leaves it out. */
  "blockedByAllowlist": boolean;
  /** Whether the agent's own list leaves it out. */
  "blockedByAgentFilter": boolean;
  /** Whether the agent has it. */
  "eligible": boolean;
  /** Whether it is named in the prompt when the agent has it. */
  "modelInvocable": boolean;
  /** Whether a person may call it as a command. */
  "userInvocable": boolean;
  /** The command, without its slash. */
  "command"?: string | null;
  /** What it needs. */
  "requirements": SkillNeeds;
  /** What of that is not there. */
  "missing": SkillNeeds;
  /** What it needs of the configuration, one by one. */
  "configChecks": Array<SkillConfigCheck>;
  /** How its programs can be installed here. */
  "install": Array<SkillInstallOption>;
  /** Why it cannot be used at all: its file is broken. */
  "problem"?: string | null;
  /** What the owner should know about it. */
  "notes"?: Array<string>;
};

/** Answer of [`SkillsBins`]. */
export type SkillsBinsResult = {
  /** Names of programs, sorted. */
  "bins": Array<string>;
};

/** Answer of [`SkillsInstall`]. */
export type SkillsInstallResult = {
  /** Whether it is installed. */
  "ok": boolean;
  /** In words. */
  "message": string;
  /** What the installer wrote, both of its streams, shortened. */
  "stdout": string;
  /** Always empty: the streams are kept together in the order they were written. */
  "stderr": string;
  /** How the installer ended; absent when it was stopped. */
  "code": number | null;
};

/** The size of the skills. */
export type SkillsSize = {
  /** The whole block. */
  "promptChars": number;
  /** How many there are. */
  "count": number;
};

/** Answer of [`SkillsStatus`]. */
export type SkillsStatusResult = {
  /** The agent's folder. */
  "workspaceDir": string;
  /** Where skills for all agents are kept. */
  "managedSkillsDir": string;
  /** Whose skills these are. */
  "agentId": string;
  /** All skills that were found, by name; those that cannot be read too. */
  "skills": Array<SkillStatus>;
};

/** Answer of [`SkillsUpdate`]. */
export type SkillsUpdateResult = {
  /** Always true. */
  "ok": boolean;
  /** Which skill. */
  "skillKey": string;
  /** Its entry now, secrets redacted. */
  "config": unknown;
};

/** What may follow a command. */
export type SlashArgument = {
  /** Its name. */
  "name": string;
  /** What it is for. */
  "description": string;
  /** Always `string`. */
  "type": string;
};

/** One command. */
export type SlashCommand = {
  /** Without the slash. */
  "name": string;
  /** What a platform's menu calls it. */
  "nativeName": string;
  /** What may be typed, with the slash. */
  "textAliases": Array<string>;
  /** What it does. */
  "description": string;
  /** `native`: part of the gateway. */
  "source": string;
  /** Where it may be given. */
  "scope": CommandScope;
  /** Whether words may follow. */
  "acceptsArgs": boolean;
  /** The words that may follow; only when asked for. */
  "args"?: Array<SlashArgument> | null;
};

/** Counters that grow whenever presence or health change. */
export type StateVersion = {
  /** Of the presence list. */
  "presence": number;
  /** Of the health snapshot. */
  "health": number;
};

/** Why a model stopped. */
export type StopReason = "stop" | "length" | "toolUse" | "error" | "aborted";

/** Answer of [`SessionPullRequestsSubscribe`]. */
export type SubscribedResult = {
  /** False: nobody looks for any. */
  "subscribed": boolean;
};

/** Answer of [`PluginSurfaceRefresh`]. */
export type SurfaceUrls = {
  /** Which was asked for. */
  "surface": string;
  /** Where it is; nowhere. */
  "pluginSurfaceUrls": Record<string, unknown>;
};

/** `gateway.suspension`: told when another process is to take over. */
export type SuspensionEvent = {
  /** How far. */
  "phase": SuspensionPhase;
};

/** How far the gateway has stood back. */
export type SuspensionPhase = "draining" | "prepared";

/** Answer of [`SystemInfo`]. What this system does not tell is left out. */
export type SystemInfoResult = {
  /** What the machine is called. */
  "machineName": string;
  /** Its name in the network. */
  "hostname": string;
  /** `linux`, `macos` … */
  "platform": string;
  /** Of the operating system. */
  "release": string;
  /** `x86_64`, `aarch64` … */
  "arch": string;
  /** For people. */
  "osLabel": string;
  /** The gateway's. */
  "port": number;
  /** The gateway's process; for administrators. */
  "pid"?: number | null;
  /** One per start of the gateway. */
  "processInstanceId": string;
  /** Since the gateway started. */
  "uptimeMs": number;
  /** Processors. */
  "cpuCount": number;
  /** Over one, five and fifteen minutes. */
  "loadAverage": Array<number>;
  /** Memory of the machine. */
  "memoryTotalBytes"?: number | null;
  /** What of it is free. */
  "memoryFreeBytes"?: number | null;
  /** The disk the state folder is on. */
  "disks": Array<DiskInfo>;
  /** Its size. */
  "diskTotalBytes"?: number | null;
  /** What of it is free. */
  "diskAvailableBytes"?: number | null;
  /** Where; for administrators. */
  "diskPath"?: string | null;
};

/** Nothing but that it was taken. */
export type Taken = {
  /** Always true. */
  "ok": boolean;
};

/** Answer of [`TalkCatalog`]. */
export type TalkCatalogResult = {
  /** The manners of talking: none yet. */
  "modes": Array<string>;
  /** How sound could travel. */
  "transports": Array<string>;
  /** Who could think. */
  "brains": Array<string>;
  /** Who can speak. */
  "speech": TalkShelf;
  /** Who can listen. */
  "transcription": TalkShelf;
  /** Who can do both at once. */
  "realtime": TalkShelf;
};

/** Answer of [`TalkConfig`]. */
export type TalkConfigResult = {
  /** The parts of the configuration that are about talking, as far as anything is written there. */
  "config": Record<string, unknown>;
};

/** `talk.mode`: somebody began or stopped talking. */
export type TalkModeEvent = TalkModeResult;

/** Answer of [`TalkMode`], and the payload of the event. */
export type TalkModeResult = {
  /** Whether somebody talks. */
  "enabled": boolean;
  /** How far they are. */
  "phase": string | null;
  /** When. */
  "ts": number;
};

/** One kind of ability, and who has it. */
export type TalkShelf = {
  /** Whether anybody has it. */
  "ready": boolean;
  /** Who. */
  "providers": Array<TtsProviderState>;
};

/** Answer of [`TalkSpeak`]. */
export type TalkSpoken = {
  /** The sound. */
  "audioBase64": string;
  /** Who spoke. */
  "provider": string;
  /** `wav`. */
  "outputFormat": string;
  /** Whether platforms take it as a voice message. */
  "voiceCompatible": boolean;
  /** For example `audio/wav`. */
  "mimeType": string;
  /** For example `.wav`. */
  "fileExtension": string;
};

/** Answer of [`TaskSuggestionsList`]. */
export type TaskSuggestionsResult = {
  /** The proposals. */
  "suggestions": Array<unknown>;
};

/** Answer of [`TasksList`]. */
export type TasksListResult = {
  /** The tasks. */
  "tasks": Array<unknown>;
};

/** A text block of a snapshot. */
export type TextBlock = {
  /** Always `text`. */
  "type": string;
  /** The text. */
  "text": string;
};

/** One choice in a thinking picker. */
export type ThinkingLevelOption = {
  /** What to send. */
  "id": string;
  /** What to show. */
  "label": string;
};

/** `tick`: still here. */
export type TickEvent = {
  /** The gateway's clock. */
  "ts": number;
};

/** How a new token reaches its device. */
export type TokenDelivery = "in-band" | "withheld-cross-device";

/** A model's wish to use a tool. */
export type ToolCall = {
  /** The model's name for this call; its result carries the same. */
  "id": ToolCallId;
  /** Which tool. */
  "name": string;
  /** An object; `{}` when the model sent nothing readable. */
  "arguments": unknown;
  /** Opaque proof some providers want back. */
  "thoughtSignature"?: string | null;
};

/** One call of a tool, as the model names it. */
export type ToolCallId = string;

/** Why a tool did not do what was asked. */
export type ToolFailure = {
  /** A word for programs: `not_found`, `requires_approval`, `tool_error`, `timeout`. */
  "code": string;
  /** Words for people. */
  "message": string;
};

/** A group of tools. */
export type ToolGroupRow = {
  /** Its id, without `group:`. */
  "id": string;
  /** What people read. */
  "label": string;
  /** `core` or `plugin`. */
  "source": string;
  /** Whose, for `plugin`. */
  "pluginId"?: string | null;
  /** Its tools. */
  "tools": Array<ToolRow>;
};

/** A ready-made choice of tools. */
export type ToolProfileRow = {
  /** The configuration's word. */
  "id": string;
  /** What people read. */
  "label": string;
};

/** A tool. */
export type ToolRow = {
  /** The name the model calls it by. */
  "id": string;
  /** What people read. */
  "label": string;
  /** Its first sentence. */
  "description": string;
  /** All the model is told, in `tools.effective`. */
  "rawDescription"?: string | null;
  /** `core` or `plugin`. */
  "source": string;
  /** Whose, for `plugin`. */
  "pluginId"?: string | null;
  /** Profiles that have it, in `tools.catalog`. */
  "defaultProfiles"?: Array<string> | null;
};

/** The size of one tool. */
export type ToolSize = {
  /** Which. */
  "name": string;
  /** Its description. */
  "summaryChars": number;
  /** Its arguments. */
  "schemaChars": number;
};

/** Tools, as far as calls tell. */
export type ToolUsage = {
  /** Answers that asked for tools. */
  "totalCalls": number;
  /** Calls do not name tools: always 0. */
  "uniqueTools": number;
  /** Always empty. */
  "tools": Array<unknown>;
};

/** Answer to [`ToolsCatalog`]. */
export type ToolsCatalogResult = {
  /** Whose. */
  "agentId": string;
  /** Ready-made choices. */
  "profiles": Array<ToolProfileRow>;
  /** Tools by group. */
  "groups": Array<ToolGroupRow>;
};

/** Answer to [`ToolsEffective`]. */
export type ToolsEffectiveResult = {
  /** Whose. */
  "agentId": string;
  /** The profile in effect. */
  "profile": string;
  /** Tools by source. */
  "groups": Array<ToolGroupRow>;
  /** What the owner should know. */
  "notices"?: Array<string> | null;
};

/** Answer to [`ToolsExplain`]. */
export type ToolsExplainResult = {
  /** The conversation. */
  "sessionKey": string;
  /** Whose. */
  "agentId": string;
  /** The model it is said for. */
  "model": string;
  /** The sender it is said for; the owner when left out. */
  "sender"?: string | null;
  /** Which files they may have, in words. */
  "files"?: string | null;
  /** The tools. */
  "tools": Array<ExplainedTool>;
  /** What the owner should know: entries of lists that name nothing. */
  "notices": Array<string>;
};

/** Answer to [`ToolsInvoke`]. */
export type ToolsInvokeResult = {
  /** Whether the tool did what was asked. */
  "ok": boolean;
  /** Which tool, by its own name. */
  "toolName": string;
  /** What it answered: `content` and `details`. */
  "output"?: unknown;
  /** Where the tool comes from: `core`. */
  "source"?: string | null;
  /** Whether somebody would have to agree first. */
  "requiresApproval"?: boolean | null;
  /** Why it did not. */
  "error"?: ToolFailure | null;
};

/** The size of the tools. */
export type ToolsSize = {
  /** All descriptions. */
  "listChars": number;
  /** All schemas. */
  "schemaChars": number;
  /** Tool by tool. */
  "entries": Array<ToolSize>;
};

/** Who speaks. */
export type TtsChosen = {
  /** By its id. */
  "provider": string;
};

/** Answer of [`TtsConvert`]. */
export type TtsConverted = {
  /** The file. */
  "audioPath": string;
  /** Who spoke. */
  "provider": string;
  /** `wav`. */
  "outputFormat": string;
  /** Whether platforms take it as a voice message. */
  "voiceCompatible": boolean;
};

/** Answer of [`TtsEnable`] and [`TtsDisable`]. */
export type TtsEnabled = {
  /** As it is now. */
  "enabled": boolean;
};

/** Somebody who may speak, at length. */
export type TtsProvider = {
  /** What it is chosen by. */
  "id": string;
  /** What it is called. */
  "name": string;
  /** Whether it can speak now. */
  "configured": boolean;
  /** Its models. */
  "models": Array<string>;
  /** Its voices, as far as they are known without asking. */
  "voices": Array<string>;
};

/** Somebody who may speak. */
export type TtsProviderState = {
  /** What it is chosen by. */
  "id": string;
  /** What it is called. */
  "label": string;
  /** Whether it can speak now. */
  "configured": boolean;
};

/** Answer of [`TtsProviders`]. */
export type TtsProvidersResult = {
  /** Who there is. */
  "providers": Array<TtsProvider>;
  /** Who speaks; empty when nobody can. */
  "active": string;
};

/** Answer of [`TtsStatus`]. */
export type TtsStatusResult = {
  /** Whether answers are to be spoken. */
  "enabled": boolean;
  /** When: `off`, `always`, `inbound` or `tagged`. */
  "auto": string;
  /** Who speaks; empty when nobody can. */
  "provider": string;
  /** A manner of speaking; there are none. */
  "persona": string | null;
  /** All manners of speaking. */
  "personas": Array<string>;
  /** Who speaks when that one cannot. */
  "fallbackProvider": string | null;
  /** All of these. */
  "fallbackProviders": Array<string>;
  /** The file that keeps what was chosen; for administrators. */
  "prefsPath"?: string | null;
  /** Who can speak. */
  "providerStates": Array<TtsProviderState>;
};

/** Answer to [`UndoApply`]. */
export type UndoApplyResult = {
  /** Whether everything was put back; `false` for a dry run. */
  "undone": boolean;
  /** The run, as it was before. */
  "run": UndoRun;
  /** The files that were put back. */
  "restored": Array<string>;
  /** The files that were not, with the reason. */
  "failed": Array<string>;
  /** The name by which this can itself be undone. */
  "undoRunId"?: string | null;
  /** All of it in words for a person. */
  "words": string;
};

/** A file a run changed. */
export type UndoFile = {
  /** Which. */
  "path": string;
  /** `created`, `changed` or `deleted`. */
  "change": string;
  /** `restorable`, `asBefore`, `changedSince`, `changedBetween`, `notKept`, `elsewhere` or `unreadable`. */
  "state": string;
  /** The state in words. */
  "words": string;
};

/** Answer to [`UndoList`]. */
export type UndoListResult = {
  /** Now, in milliseconds since 1970. */
  "ts": number;
  /** Newest first. */
  "runs": Array<UndoRun>;
};

/** A run that changed something. */
export type UndoRun = {
  /** The run. */
  "runId": string;
  /** The conversation. */
  "sessionKey": string;
  /** When it made its first change, in milliseconds since 1970. */
  "at": number;
  /** Its files. */
  "files": Array<UndoFile>;
  /** Whether it also ran commands, whose changes are not kept. */
  "commands": boolean;
  /** The run that undid it. */
  "undoneBy"?: string | null;
  /** The run it undid, when it is itself an undo. */
  "undoes"?: string | null;
};

/** How a program was installed. */
export type UpdateInstall = {
  /** The manner. */
  "kind": InstallKind;
};

/** What became of an update. */
export type UpdateOutcome = {
  /** `skipped`. */
  "status": string;
  /** How Homard was installed. */
  "mode": InstallKind;
  /** Why. */
  "reason": string;
};

/** Answer of [`UpdateRun`]. */
export type UpdateRunResult = {
  /** The attempt. */
  "runId": string;
  /** Always false. */
  "ok": boolean;
  /** Whether anybody was told on a platform. */
  "ackDelivered": boolean;
  /** Whether that will happen. */
  "ackQueued": boolean;
  /** What to do instead. */
  "message": string;
  /** The same for programs. */
  "result": UpdateOutcome;
};

/** How this program came here, and that nothing updates it by itself. */
export type UpdateSchedule = {
  /** Which releases are followed. */
  "channel": string;
  /** Always false. */
  "autoEnabled": boolean;
  /** How it was installed. */
  "install": UpdateInstall;
};

/** Answer of [`UpdateStatus`]. */
export type UpdateStatusResult = {
  /** What the last update left behind; Homard makes none, so `null`. */
  "sentinel": string | null;
  /** A newer release; nobody is asked, so `null`. */
  "updateAvailable": string | null;
  /** Which releases are followed. */
  "effectiveChannel": string;
  /** How this program came here. */
  "schedule": UpdateSchedule;
};

/** Tokens and money of one model call. */
export type Usage = {
  /** Prompt tokens not served from a cache. */
  "input": number;
  /** Tokens produced. */
  "output": number;
  /** Prompt tokens served from the provider's cache. */
  "cacheRead": number;
  /** Prompt tokens written to the provider's cache. */
  "cacheWrite": number;
  /** All of the above. */
  "totalTokens": number;
  /** In US dollars. */
  "cost": Cost;
};

/** The sums of a report, cut in every direction. Lists of names are ordered by cost, then tokens; lists of days by day, those without a call left out. */
export type UsageAggregates = {
  /** Conversations with a call. */
  "sessionCount": number;
  /** Messages, as counted from calls. */
  "messages": MessageCounts;
  /** Tools, as far as calls tell. */
  "tools": ToolUsage;
  /** By model. */
  "byModel": Array<ModelUsage>;
  /** By provider. */
  "byProvider": Array<ModelUsage>;
  /** By agent. */
  "byAgent": Array<AgentUsage>;
  /** By platform, where it is known. */
  "byChannel": Array<ChannelUsage>;
  /** People; always empty. */
  "byCreator": Array<unknown>;
  /** Sums by day. */
  "costDaily": Array<UsageDay>;
  /** How long calls took. */
  "latency"?: UsageLatency | null;
  /** How long calls took, by day. */
  "dailyLatency": Array<UsageDayLatency>;
  /** Models by day. */
  "modelDaily": Array<ModelDay>;
  /** Activity by day. */
  "daily": Array<UsageDayActivity>;
};

/** How complete a report is. Homard reads its own table, so that it always is. */
export type UsageCacheStatus = {
  /** `fresh`. */
  "status": string;
  /** Always 0. */
  "cachedFiles": number;
  /** Always 0. */
  "pendingFiles": number;
  /** Always 0. */
  "staleFiles": number;
};

/** Answer of [`UsageCost`]. */
export type UsageCostResult = {
  /** The gateway's clock. */
  "updatedAt": number;
  /** How many days. */
  "days": number;
  /** Every day, oldest first, also those without a call. */
  "daily": Array<UsageDay>;
  /** All days together. */
  "totals": UsageTotals;
  /** How complete this is. */
  "cacheStatus": UsageCacheStatus;
};

/** The sums of one day. */
export type UsageDay = {
  /** `YYYY-MM-DD`. */
  "date": string;
  /** Prompt tokens not served from a cache. */
  "input": number;
  /** Tokens produced. */
  "output": number;
  /** Prompt tokens served from a cache. */
  "cacheRead": number;
  /** Prompt tokens written to a cache. */
  "cacheWrite": number;
  /** All tokens. */
  "totalTokens": number;
  /** All money. */
  "totalCost": number;
  /** For prompts. */
  "inputCost": number;
  /** For answers. */
  "outputCost": number;
  /** For cached parts of prompts. */
  "cacheReadCost": number;
  /** For filling caches. */
  "cacheWriteCost": number;
  /** Calls of models without a price. */
  "missingCostEntries": number;
  /** How many calls reached a model; attempts that were turned away are not among them. */
  "calls": number;
  /** Calls nobody saw the end of; they are in the sums with the most they can have cost. */
  "lostCalls": number;
};

/** One day as the overview draws it. */
export type UsageDayActivity = {
  /** `YYYY-MM-DD`. */
  "date": string;
  /** All tokens. */
  "tokens": number;
  /** All money. */
  "cost": number;
  /** Messages, as counted from calls. */
  "messages": number;
  /** Answers that asked for tools. */
  "toolCalls": number;
  /** Calls that gave no answer. */
  "errors": number;
};

/** How long the calls of one day took. */
export type UsageDayLatency = {
  /** `YYYY-MM-DD`. */
  "date": string;
  /** How many were measured. */
  "count": number;
  /** On average. */
  "avgMs": number;
  /** 95 of 100 were at most this slow. */
  "p95Ms": number;
  /** The fastest. */
  "minMs": number;
  /** The slowest. */
  "maxMs": number;
};

/** A day in brief. */
export type UsageDayShort = {
  /** `YYYY-MM-DD`. */
  "date": string;
  /** All tokens. */
  "tokens": number;
  /** All money. */
  "cost": number;
};

/** The model calls of one hour; money in US dollars. */
export type UsageHour = {
  /** When it began. */
  "at": number;
  /** Runs that began in it. */
  "turns": number;
  /** Calls that reached a model. */
  "calls": number;
  /** Tokens of prompts, cached ones included. */
  "inputTokens": number;
  /** Tokens produced. */
  "outputTokens": number;
  /** What they cost. */
  "cost": number;
  /** Half of the answers were at most this slow; missing when there was none. */
  "latencyP50Ms"?: number | null;
  /** 95 of 100 answers were at most this slow; missing when there was none. */
  "latencyP95Ms"?: number | null;
  /** Calls that gave no answer. */
  "errors": number;
};

/** Answer of [`UsageHours`]. */
export type UsageHoursResult = {
  /** The gateway's clock. */
  "ts": number;
  /** Every hour, oldest first, also those without a call; the last is under way. */
  "hours": Array<UsageHour>;
};

/** How long calls took, in milliseconds. */
export type UsageLatency = {
  /** How many were measured. */
  "count": number;
  /** On average. */
  "avgMs": number;
  /** 95 of 100 were at most this slow. */
  "p95Ms": number;
  /** The fastest. */
  "minMs": number;
  /** The slowest. */
  "maxMs": number;
};

/** Answer of [`UsageRuns`]. */
export type UsageRunsResult = {
  /** The gateway's clock. */
  "ts": number;
  /** Newest first. */
  "runs": Array<RunUsage>;
};

/** Answer of [`UsageStatus`]. */
export type UsageStatusResult = {
  /** The gateway's clock. */
  "updatedAt": number;
  /** What providers say of their own limits. */
  "providers": Array<ProviderQuota>;
  /** The owner's limits that are in effect and how far they are used. */
  "budgets": Array<BudgetStatus>;
};

/** Sums over model calls; money in US dollars. */
export type UsageTotals = {
  /** Prompt tokens not served from a cache. */
  "input": number;
  /** Tokens produced. */
  "output": number;
  /** Prompt tokens served from a cache. */
  "cacheRead": number;
  /** Prompt tokens written to a cache. */
  "cacheWrite": number;
  /** All tokens. */
  "totalTokens": number;
  /** All money. */
  "totalCost": number;
  /** For prompts. */
  "inputCost": number;
  /** For answers. */
  "outputCost": number;
  /** For cached parts of prompts. */
  "cacheReadCost": number;
  /** For filling caches. */
  "cacheWriteCost": number;
  /** Calls of models without a price. */
  "missingCostEntries": number;
  /** How many calls reached a model; attempts that were turned away are not among them. */
  "calls": number;
  /** Calls nobody saw the end of; they are in the sums with the most they can have cost. */
  "lostCalls": number;
};

/** Answer of [`UsersPrefsGet`]. */
export type UsersPrefs = {
  /** `no_durable_identity`: the gateway knows devices, not people. */
  "status": string;
};

/** Answer of [`SessionsViewersSet`]. */
export type Viewed = {
  /** What was understood. Nobody is shown it yet. */
  "sessionKeys": Array<string>;
};

/** `voicewake.changed`: other words wake nodes now. Nodes hear it, too. */
export type VoicewakeChangedEvent = WakeWords;

/** Answer of [`WakeUp`] and [`SystemEvent`]. */
export type WakeResult = {
  /** It is kept. */
  "ok": boolean;
  /** The turn about it, if one was started. */
  "runId"?: string | null;
};

/** The wake words: parameters, answers and the event. */
export type WakeWords = {
  /** The words. */
  "triggers": Array<string>;
};

/** One possible answer. */
export type WizardOption = {
  /** What is sent. */
  "value": unknown;
  /** What is shown. */
  "label": string;
  /** What helps choosing. */
  "hint"?: string | null;
};

/** How far a wizard is. */
export type WizardPhase = "running" | "done" | "cancelled" | "error";

/** Answer of [`WizardStart`]. */
export type WizardStarted = {
  /** What to name it from now on. */
  "sessionId": string;
  /** Whether there is no further question. */
  "done": boolean;
  /** The question. */
  "step"?: WizardStep | null;
  /** How far it is. */
  "status": WizardPhase;
  /** What is wrong with the last answer; the question is asked again. */
  "error"?: string | null;
};

/** Answer of [`WizardStatus`] and [`WizardCancel`]. */
export type WizardState = {
  /** How far it is. */
  "status": WizardPhase;
  /** What went wrong. */
  "error"?: string | null;
};

/** One question. */
export type WizardStep = {
  /** What an answer names. */
  "id": string;
  /** How it is answered. */
  "type": WizardStepKind;
  /** A heading. */
  "title"?: string | null;
  /** The question. */
  "message"?: string | null;
  /** What can be answered. */
  "options"?: Array<WizardOption> | null;
  /** What is answered most often. */
  "initialValue"?: unknown;
  /** What to show where nothing is typed yet. */
  "placeholder"?: string | null;
  /** Whether what is typed must not be shown. */
  "sensitive"?: boolean | null;
  /** Who acts: always the `client`, which asks the person. */
  "executor": string;
};

/** How a question is answered. */
export type WizardStepKind = "note" | "select" | "text" | "confirm";

/** Answer of [`WizardNext`]. */
export type WizardTurn = {
  /** Whether there is no further question. */
  "done": boolean;
  /** The question. */
  "step"?: WizardStep | null;
  /** How far it is. */
  "status": WizardPhase;
  /** What is wrong with the last answer; the question is asked again. */
  "error"?: string | null;
};

/** Which account. */
export type AccountParams = {
  /** Of which platform. */
  "channel": string;
  /** Which; the default one when left out. */
  "accountId"?: string | null;
};

/** Parameters of [`AgentIdentityGet`]. */
export type AgentIdentityParams = {
  /** Whose. */
  "agentId"?: string | null;
  /** Whoever answers in this conversation. */
  "sessionKey"?: string | null;
};

/** Parameters of [`Agent`]. Fields whose room is not furnished yet are taken and checked for type only. */
export type AgentParams = {
  /** What is said. */
  "message": string;
  /** Becomes the run id. */
  "idempotencyKey": string;
  /** Whose turn. */
  "agentId"?: string | null;
  /** Which conversation. */
  "sessionKey"?: string | null;
  /** Which conversation, by transcript. */
  "sessionId"?: string | null;
  /** A provider for this turn. */
  "provider"?: string | null;
  /** A model for this turn. */
  "model"?: string | null;
  /** How hard to think in this turn. */
  "thinking"?: string | null;
  /** Time limit in seconds. */
  "timeout"?: number | null;
  /** Files. */
  "attachments"?: Array<Attachment> | null;
  /** Added to the system prompt. */
  "extraSystemPrompt"?: string | null;
} & Record<string, unknown>;

/** Parameters of [`AgentWait`]. */
export type AgentWaitParams = {
  /** Which run. */
  "runId": string;
  /** How long; 30 s when left out. */
  "timeoutMs"?: number | null;
};

/** Parameters of [`AgentsCreate`]. */
export type AgentsCreateParams = {
  /** Its name; the id is made from it. */
  "name": string;
  /** Its folder; one is made when it is left out. */
  "workspace"?: string | null;
  /** `provider/model`. */
  "model"?: string | null;
  /** Its sign. */
  "emoji"?: string | null;
  /** Its picture. */
  "avatar"?: string | null;
};

/** Parameters of [`AgentsDelete`]. */
export type AgentsDeleteParams = {
  /** Which. */
  "agentId": string;
  /** Whether its files go; true when left out. */
  "deleteFiles"?: boolean | null;
};

/** Parameters of [`AgentsFilesGet`]. */
export type AgentsFilesGetParams = {
  /** Whose. */
  "agentId": string;
  /** Which. */
  "name": string;
};

/** Parameters of [`AgentsFilesList`]. */
export type AgentsFilesListParams = {
  /** Whose. */
  "agentId": string;
};

/** Parameters of [`AgentsFilesSet`]. */
export type AgentsFilesSetParams = {
  /** Whose. */
  "agentId": string;
  /** Which. */
  "name": string;
  /** Its new text. */
  "content": string;
  /** The hash of what the caller read. */
  "expectedHash"?: string | null;
};

/** Parameters of [`AgentsUpdate`]. */
export type AgentsUpdateParams = {
  /** Whose. */
  "agentId": string;
  /** Its name. */
  "name"?: string | null;
  /** Its folder. */
  "workspace"?: string | null;
  /** Its model: left out, `null` (the default again), or `provider/model`. */
  "model"?: string | null;
  /** Who runs its turns; only Homard does. */
  "agentRuntime"?: string | null;
  /** Its sign. */
  "emoji"?: string | null;
  /** Its picture. */
  "avatar"?: string | null;
};

/** Names one approval: its id, or enough of its beginning. */
export type ApprovalIdParams = {
  /** The id. */
  "id": string;
};

/** Parameters of [`ExecApprovalResolve`] and [`PluginApprovalResolve`]. */
export type ApprovalResolveParams = {
  /** The id, or enough of its beginning. */
  "id": string;
  /** The answer. */
  "decision": ApprovalDecision;
  /** For whom the client answers. */
  "reviewer"?: ApprovalReviewer | null;
  /** Taken without effect: answers given once are not kept. */
  "grantExpiresInDays"?: number | null;
};

/** A person who answered on a chat platform. */
export type ApprovalReviewer = {
  /** Where. */
  "channel": string;
  /** Through which account. */
  "accountId": string;
  /** Who. */
  "senderId": string;
};

/** Parameters of [`SessionsFork`] and [`SessionsRewind`]. */
export type AtEntryParams = {
  /** Which conversation. */
  "sessionKey": string;
  /** For bare session keys: whose. */
  "agentId"?: string | null;
  /** A question: the place before it, and the question is given back to be asked anew. Anything else: the place after it. */
  "entryId": string;
};

/** A file sent with a message. Open: clients add facts of their own. */
export type Attachment = {
  /** For example `image`. */
  "type"?: string | null;
  /** For example `image/png`. */
  "mimeType"?: string | null;
  /** Its name. */
  "fileName"?: string | null;
  /** Base64, or a data URL. */
  "content"?: string | null;
};

/** Parameters of [`SessionsBranchesSwitch`]. */
export type BranchesSwitchParams = {
  /** Which conversation. */
  "sessionKey": string;
  /** For bare session keys: whose. */
  "agentId"?: string | null;
  /** The end of the branch. */
  "leafEntryId": string;
};

/** What may be asked of the browser. */
export type BrowserMethod = "GET" | "POST" | "DELETE";

/** Parameters of [`BrowserRequest`]. */
export type BrowserRequestParams = {
  /** As in HTTP. */
  "method": BrowserMethod;
  /** As in HTTP. */
  "path": string;
  /** As in HTTP. */
  "query"?: Record<string, unknown> | null;
  /** As in HTTP. */
  "body"?: unknown;
  /** How long it may take. */
  "timeoutMs"?: number | null;
  /** On which node. */
  "nodeId"?: string | null;
};

/** Parameters of [`SessionsCatalogList`]. */
export type CatalogListParams = {
  /** Of which program. */
  "catalogId"?: string | null;
  /** Without the conversations themselves. */
  "metadataOnly"?: boolean | null;
  /** Where to go on, per program. */
  "cursors"?: Record<string, string> | null;
  /** Whose. */
  "agentId"?: string | null;
  /** What progress is told under. */
  "progressId"?: string | null;
  /** Answer although some do not. */
  "allowPartialResults"?: boolean | null;
  /** Only those that say this. */
  "search"?: string | null;
  /** How many per machine. */
  "limitPerHost"?: number | null;
  /** Only on these machines. */
  "hostIds"?: Array<string> | null;
};

/** Parameters of [`ChannelsCheck`]. `Debug` hides the settings: there are secrets among them. */
export type ChannelsCheckParams = {
  /** Which platform. */
  "channel": string;
  /** Which account; the default one when left out. */
  "accountId"?: string | null;
  /** Its settings, laid over those that are written down; hidden secrets stand for what is written. */
  "section"?: Record<string, unknown>;
  /** How long the platform may take. */
  "timeoutMs"?: number | null;
};

/** Parameters of [`ChannelsStatus`]. */
export type ChannelsStatusParams = {
  /** Ask the platforms. */
  "probe"?: boolean | null;
  /** How long that may take. */
  "timeoutMs"?: number | null;
  /** Only this one. */
  "channel"?: string | null;
};

/** Parameters of [`ChatAbort`]. */
export type ChatAbortParams = {
  /** Which conversation. */
  "sessionKey": string;
  /** For bare session keys: whose. */
  "agentId"?: string | null;
  /** Only this run. */
  "runId"?: string | null;
  /** Whether side runs go on. */
  "preserveSideRuns"?: boolean | null;
};

/** Parameters of [`ChatHistory`]. */
export type ChatHistoryParams = {
  /** Which conversation. */
  "sessionKey": string;
  /** For bare session keys: whose. */
  "agentId"?: string | null;
  /** How many messages; see [`limits`](crate::limits). */
  "limit"?: number | null;
  /** How many of the newest to skip. */
  "offset"?: number | null;
  /** Largest answer. */
  "maxBytes"?: number | null;
  /** Longest text of one message. */
  "maxChars"?: number | null;
  /** Continues a delta stream; answered with a full page. */
  "cursor"?: string | null;
  /** Paging of waiting inputs. */
  "pendingBefore"?: number | null;
  /** Only these inputs. */
  "inputRunIds"?: Array<string> | null;
  /** Around this message. */
  "messageId"?: string | null;
  /** An older transcript of the same key. */
  "sessionId"?: string | null;
};

/** Parameters of [`ChatInject`]. */
export type ChatInjectParams = {
  /** Which conversation. */
  "sessionKey": string;
  /** For bare session keys: whose. */
  "agentId"?: string | null;
  /** The note. */
  "message": string;
  /** Put before the note in brackets. */
  "label"?: string | null;
};

/** Parameters of [`ChatMessageGet`]. */
export type ChatMessageGetParams = {
  /** Which conversation. */
  "sessionKey": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** Which entry. */
  "messageId": string;
  /** Longest text wanted. */
  "maxChars"?: number | null;
};

/** Parameters of [`ChatMetadata`]. */
export type ChatMetadataParams = {
  /** Whose. */
  "agentId"?: string | null;
  /** With this credential; taken and not looked at. */
  "authProfileId"?: string | null;
  /** Which conversation. */
  "sessionKey"?: string | null;
};

/** Parameters of [`ChatSend`]. Fields whose room is not furnished yet are taken and checked for type only. */
export type ChatSendParams = {
  /** Which conversation. */
  "sessionKey": string;
  /** What is said. */
  "message": string;
  /** Becomes the run id; the same key never starts a second run. */
  "idempotencyKey": string;
  /** For bare session keys: whose. */
  "agentId"?: string | null;
  /** The transcript the client believes it writes to. */
  "sessionId"?: string | null;
  /** How hard to think in this turn. */
  "thinking"?: string | null;
  /** Whether to deliver the answer to the session's channel too. */
  "deliver"?: boolean | null;
  /** Files. */
  "attachments"?: Array<Attachment> | null;
  /** Time limit of the run. */
  "timeoutMs"?: number | null;
  /** What to do when a run is active. */
  "queueMode"?: string | null;
  /** Whether a leading slash is plain text. */
  "suppressCommandInterpretation"?: boolean | null;
  /** The message answered to. */
  "replyToId"?: string | null;
  /** Where the message really came from. */
  "originatingChannel"?: string | null;
  /** See above. */
  "originatingTo"?: string | null;
  /** See above. */
  "originatingAccountId"?: string | null;
  /** See above. */
  "originatingThreadId"?: unknown;
  /** People named in the text. */
  "mentions"?: unknown;
  /** What page the person looks at. */
  "workContext"?: unknown;
  /** A goal to start. */
  "intent"?: unknown;
  /** Whether to use a faster tier. */
  "fastMode"?: unknown;
  /** See above. */
  "fastAutoOnSeconds"?: number | null;
  /** Tools the client itself offers. */
  "toolBindings"?: unknown;
  /** Provenance of text that is not the person's. */
  "systemInputProvenance"?: unknown;
  /** See above. */
  "systemProvenanceReceipt"?: unknown;
  /** The leaf the client believes it continues. */
  "expectedLeafEntryId"?: unknown;
  /** See above. */
  "expectedSessionRoutingContract"?: unknown;
  /** See above. */
  "expectedPermissionMode"?: unknown;
  /** See above. */
  "expectedToolOverrides"?: unknown;
};

/** Parameters of [`CommandsList`]. */
export type CommandsListParams = {
  /** In which conversation. */
  "sessionKey"?: string | null;
  /** Whose. */
  "agentId"?: string | null;
  /** On which platform; the commands are the same everywhere. */
  "provider"?: string | null;
  /** `text`, `native` or `both`; ours are both. */
  "scope"?: CommandScope | null;
  /** With their arguments. */
  "includeArgs"?: boolean | null;
};

/** Parameters of [`ConfigPatch`] and [`ConfigApply`]. */
export type ConfigApplyParams = {
  /** A merge patch (`null` deletes), or the new text. */
  "raw": string;
  /** See [`ConfigSetParams::base_hash`]. */
  "baseHash"?: string | null;
  /** Who asked, to be told after a restart. */
  "sessionKey"?: string | null;
  /** Where to tell it. */
  "deliveryContext"?: unknown;
  /** Why. */
  "note"?: string | null;
  /** How long to wait before a restart. */
  "restartDelayMs"?: number | null;
  /** Lists that are replaced instead of merged; patch only. */
  "replacePaths"?: Array<string> | null;
};

/** Parameters of [`ConfigSchemaLookup`]. */
export type ConfigSchemaLookupParams = {
  /** With dots; `*` for any name or place in a list. */
  "path": string;
};

/** Parameters of [`ConfigSet`]. */
export type ConfigSetParams = {
  /** The new text. */
  "raw": string;
  /** The hash of the text this was made from; required when the file exists. */
  "baseHash"?: string | null;
};

/** A job as it is asked for. */
export type CronAddParams = {
  /** What people call it. */
  "name": string;
  /** Makes adding it again a change of the same job. */
  "declarationKey"?: string | null;
  /** What lists show instead of the name. */
  "displayName"?: string | null;
  /** Who looks after it, as clients write it. */
  "owner"?: unknown;
  /** Which agent. */
  "agentId"?: string | null;
  /** The conversation it was made in. */
  "sessionKey"?: string | null;
  /** Words about it. */
  "description"?: string | null;
  /** Whether it runs. */
  "enabled"?: boolean | null;
  /** Whether it is forgotten after it went well. */
  "deleteAfterRun"?: boolean | null;
  /** When it is due. */
  "schedule": CronSchedule;
  /** Bounds of a cadence the job chooses itself. Known, not in effect. */
  "pacing"?: unknown;
  /** A condition. Known, not in effect. */
  "trigger"?: unknown;
  /** `main`, `isolated`, `current` or `session:<key>`. */
  "sessionTarget": string;
  /** Whether the conversation is woken. */
  "wakeMode": CronWakeMode;
  /** What it does. */
  "payload": CronPayload;
  /** Where its result goes. */
  "delivery"?: CronDelivery | null;
  /** When somebody is told that it keeps failing. */
  "failureAlert"?: CronFailureAlert | null;
};

/** See [`CronListParams::enabled`]. */
export type CronEnabledFilter = "all" | "enabled" | "disabled";

/** Which job: by `id`, or by `jobId` as older clients say. */
export type CronJobParams = {
  /** Its id. */
  "id"?: string | null;
  /** The same. */
  "jobId"?: string | null;
};

/** Parameters of [`CronList`]. */
export type CronListParams = {
  /** Only jobs made in this conversation. */
  "sessionKey"?: string | null;
  /** Whose conversation that is, when it is named without its agent. */
  "sessionAgentId"?: string | null;
  /** Those that are switched off, too. */
  "includeDisabled"?: boolean | null;
  /** How many. */
  "limit"?: number | null;
  /** How many to leave out. */
  "offset"?: number | null;
  /** Words in the name, the description or what it does. */
  "query"?: string | null;
  /** Whether they run. */
  "enabled"?: CronEnabledFilter | null;
  /** Only this kind of schedule; `all` for any. */
  "scheduleKind"?: CronScheduleFilter | null;
  /** Only those that last ended so; `unknown` for those that never ran. */
  "lastRunStatus"?: CronStatusFilter | null;
  /** Only those with, or without, a condition. */
  "trigger"?: CronTriggerFilter | null;
  /** In which order. */
  "sortBy"?: CronSortBy | null;
  /** Which way. */
  "sortDir"?: CronSortDir | null;
  /** Only jobs of this agent. */
  "agentId"?: string | null;
  /** Whether less about each is enough. They are told whole. */
  "compact"?: boolean | null;
  /** Whether it is told where results would go; yes, unless said otherwise. */
  "includeDeliveryPreviews"?: boolean | null;
};

/** Parameters of [`CronPreview`]. */
export type CronPreviewParams = {
  /** When it is due. */
  "schedule": CronSchedule;
  /** The job whose schedule it would be: jobs at the top of hours are moved, each by its own time. */
  "jobId"?: string | null;
  /** How many moments; five when left out. */
  "count"?: number | null;
};

/** When a job is run by hand. */
export type CronRunMode = "due" | "force" | "if-enabled";

/** Parameters of [`CronRun`]. */
export type CronRunParams = {
  /** Its id. */
  "id"?: string | null;
  /** The same. */
  "jobId"?: string | null;
  /** Whether it must be due, or switched on. */
  "mode"?: CronRunMode | null;
  /** Refuses when the gateway is not the one that was asked before. */
  "expectedProcessInstanceId"?: string | null;
};

/** Parameters of [`CronRuns`]. */
export type CronRunsParams = {
  /** Only of this agent. */
  "agentId"?: string | null;
  /** Whose. */
  "scope"?: CronRunsScope | null;
  /** Of this job. */
  "id"?: string | null;
  /** The same. */
  "jobId"?: string | null;
  /** This one. */
  "runId"?: string | null;
  /** How many. */
  "limit"?: number | null;
  /** How many to leave out. */
  "offset"?: number | null;
  /** Only those that ended so. */
  "statuses"?: Array<CronRunStatus> | null;
  /** The same for one; `all` for any. */
  "status"?: CronStatusFilter | null;
  /** Only those whose result fared so. */
  "deliveryStatuses"?: Array<CronDeliveryStatus> | null;
  /** The same for one. */
  "deliveryStatus"?: CronDeliveryStatus | null;
  /** Words in the summary, the error or the job's name. */
  "query"?: string | null;
  /** Newest first, unless `asc`. */
  "sortDir"?: CronSortDir | null;
};

/** Whose runs. */
export type CronRunsScope = "job" | "all";

/** See [`CronListParams::schedule_kind`]. */
export type CronScheduleFilter = "all" | "at" | "every" | "cron" | "on-exit" | "stream";

/** See [`CronListParams::sort_by`]. */
export type CronSortBy = "nextRunAtMs" | "updatedAtMs" | "name";

/** Which way a list goes. */
export type CronSortDir = "asc" | "desc";

/** See [`CronListParams::last_run_status`]. */
export type CronStatusFilter = "all" | "ok" | "error" | "skipped" | "unknown";

/** See [`CronListParams::trigger`]. */
export type CronTriggerFilter = "all" | "conditional" | "unconditional";

/** Parameters of [`CronUpdate`]. */
export type CronUpdateParams = {
  /** Its id. */
  "id"?: string | null;
  /** The same. */
  "jobId"?: string | null;
  /** What changes; `null` clears. */
  "patch": Record<string, unknown>;
  /** Refuses the change when the job is no longer the one that was read. */
  "expectedConfigRevision"?: string | null;
};

/** Parameters of [`ChannelsDeadLetters`]. */
export type DeadLettersParams = {
  /** How many at most. */
  "limit"?: number | null;
};

/** Which request. */
export type DeviceRequestParams = {
  /** As `device.pair.requested` named it. */
  "requestId": string;
};

/** Which token: a device has one per role. */
export type DeviceTokenParams = {
  /** Hex SHA-256 of its public key. */
  "deviceId": DeviceId;
  /** For which role. */
  "role": Role;
};

/** Which token, and what the new one may do. */
export type DeviceTokenRotateParams = {
  /** Hex SHA-256 of its public key. */
  "deviceId": DeviceId;
  /** For which role. */
  "role": Role;
  /** At most what the device is approved for; as before when left out. */
  "scopes"?: Array<string> | null;
};

/** Parameters of [`ExecApprovalRequest`]. */
export type ExecApprovalRequestParams = {
  /** A name of the requester's own. */
  "id"?: string | null;
  /** The command line. */
  "command"?: string | null;
  /** The same in words, where there is no line. */
  "commandArgv"?: Array<string> | null;
  /** Variables the command would get; their names are shown. */
  "env"?: Record<string, unknown> | null;
  /** Where it would run. */
  "cwd"?: string | null;
  /** On what it would run. */
  "host"?: string | null;
  /** The security mode it is under. */
  "security"?: string | null;
  /** When such commands are asked about. */
  "ask"?: string | null;
  /** Why it is asked about. */
  "warningText"?: string | null;
  /** What may not be said. */
  "unavailableDecisions"?: Array<ApprovalDecision> | null;
  /** The program that would start. */
  "resolvedPath"?: string | null;
  /** The conversation it is for. */
  "sessionKey"?: string | null;
  /** The turn it is for. */
  "runId"?: string | null;
  /** The call it is for. */
  "toolCallId"?: string | null;
  /** Give up at once when nobody who may decide is connected. */
  "requireDeliveryRoute"?: boolean | null;
  /** How long to wait; at most [`MAX_APPROVAL_WAIT_MS`]. */
  "timeoutMs"?: number | null;
  /** Answer twice: accepted, decided. */
  "twoPhase"?: boolean | null;
} & Record<string, unknown>;

/** Parameters of [`ExecApprovalsNodeSet`]. What a node keeps is its own business, so the rest goes to it as it is. */
export type ExecApprovalsNodeSetParams = {
  /** Which node. */
  "nodeId": string;
} & Record<string, unknown>;

/** The whole file, and which one it replaces. */
export type ExecApprovalsSetParams = {
  /** The new content; a socket's token that is left out is kept. */
  "file": unknown;
  /** The `hash` that was read; needed when there is a file. */
  "baseHash"?: string | null;
};

/** Parameters of [`Health`]. */
export type HealthParams = {
  /** Look now instead of answering from the last look. */
  "probe"?: boolean | null;
  /** More for administrators. */
  "includeSensitive"?: boolean | null;
};

/** Parameters of methods that are about one conversation. */
export type InSessionParams = {
  /** Which conversation. */
  "sessionKey": string;
  /** Whose. */
  "agentId"?: string | null;
};

/** Parameters of [`LogsTail`]. */
export type LogsTailParams = {
  /** From the last answer; the end of the file when left out. */
  "cursor"?: number | null;
  /** How many lines. */
  "limit"?: number | null;
  /** How many bytes to look at. */
  "maxBytes"?: number | null;
};

/** Parameters of [`MemoryGet`]. */
export type MemoryGetParams = {
  /** Which, as [`MemoryList`] names it. */
  "path": string;
  /** Whose memory; the default agent's when absent. */
  "agentId"?: string | null;
};

/** Parameters of [`MemoryList`]. */
export type MemoryListParams = {
  /** Whose memory; the default agent's when absent. */
  "agentId"?: string | null;
};

/** Parameters of [`MemorySearch`]. */
export type MemorySearchParams = {
  /** Words, all of which must be in a file for it to be found. */
  "query": string;
  /** Whose memory; the default agent's when absent. */
  "agentId"?: string | null;
  /** How many at most. */
  "limit"?: number | null;
};

/** Parameters of [`MessageAction`]. */
export type MessageActionParams = {
  /** On which platform. */
  "channel": string;
  /** What to do. */
  "action": string;
  /** The action's own parameters. */
  "params": Record<string, unknown>;
  /** Makes repeating harmless. */
  "idempotencyKey": string;
  /** In answer to which message. */
  "reply"?: Record<string, unknown> | null;
  /** With which account. */
  "accountId"?: string | null;
  /** The account of who asks. */
  "requesterAccountId"?: string | null;
  /** Who asks. */
  "requesterSenderId"?: string | null;
  /** Whether that is the owner. */
  "senderIsOwner"?: boolean | null;
  /** The conversation it belongs to. */
  "sessionKey"?: string | null;
  /** Its present session. */
  "sessionId"?: string | null;
  /** `user_request` or `room_event`. */
  "inboundTurnKind"?: string | null;
  /** For which agent. */
  "agentId"?: string | null;
  /** What is known about tools at that point. */
  "toolContext"?: Record<string, unknown> | null;
};

/** Parameters of [`ModelsAuthImport`]. */
export type ModelsAuthImportParams = {
  /** The program whose login is taken over; without it nothing is, and what was found is told. */
  "program"?: string | null;
  /** For this agent. */
  "agentId"?: string | null;
};

/** Parameters of [`ModelsAuthLogout`]. */
export type ModelsAuthLogoutParams = {
  /** Whose. */
  "provider": string;
  /** Only these; all when left out. */
  "profileIds"?: Array<string> | null;
  /** `api_key`: only keys, no logins. */
  "credentialType"?: string | null;
  /** Of this agent. */
  "agentId"?: string | null;
};

/** Parameters of [`ModelsAuthSetApiKey`]. `Debug` does not show the key. */
export type ModelsAuthSetApiKeyParams = {
  /** Whose. */
  "provider": string;
  /** The key. */
  "apiKey": string;
  /** For this agent. */
  "agentId"?: string | null;
};

/** Parameters of [`ModelsAuthStatus`]. */
export type ModelsAuthStatusParams = {
  /** Taken without effect: nothing here is old. */
  "refresh"?: boolean | null;
  /** Whose. */
  "agentId"?: string | null;
};

/** Parameters of [`ModelsList`]. */
export type ModelsListParams = {
  /** For this agent. */
  "agentId"?: string | null;
  /** For this session. */
  "sessionKey"?: string | null;
  /** With this credential. */
  "authProfileId"?: string | null;
  /** Only of this provider. */
  "provider"?: string | null;
  /** More per model. */
  "includeDetails"?: boolean | null;
  /** More per provider. */
  "includeProviderCapabilities"?: boolean | null;
  /** With the defaults. */
  "includeDefaultModels"?: boolean | null;
  /** Only what is ready. */
  "preparedOnly"?: boolean | null;
  /** Ask the providers again. */
  "refresh"?: boolean | null;
  /** `default`, `configured`, `provider-config` or `all`. */
  "view"?: string | null;
};

/** Parameters of [`ModelsProbe`]. */
export type ModelsProbeParams = {
  /** Whom. */
  "provider": string;
  /** Only with this credential. */
  "profileId"?: string | null;
  /** Longest wait for each. */
  "timeoutMs"?: number | null;
  /** On whose behalf. */
  "agentId"?: string | null;
};

/** Parameters of methods that take none. */
export type NoParams = Record<string, never>;

/** What went wrong on a node, in its words. */
export type NodeError = {
  /** For programs. */
  "code"?: string | null;
  /** For people. */
  "message"?: string | null;
};

/** Parameters of [`NodeEvent`]. */
export type NodeEventParams = {
  /** What. */
  "event": string;
  /** Particulars. */
  "payload"?: unknown;
  /** The same as JSON text; counts before `payload`. */
  "payloadJSON"?: string | null;
};

/** Parameters of [`NodeInvoke`]. */
export type NodeInvokeParams = {
  /** Which node. */
  "nodeId": string;
  /** Which command. */
  "command": string;
  /** What the command is given. */
  "params"?: unknown;
  /** How long to wait, in milliseconds. */
  "timeoutMs"?: number | null;
  /** Repeating a request with the same key runs the command once. */
  "idempotencyKey": string;
  /** The conversation it is for. */
  "sessionKey"?: string | null;
  /** Where the turn came from; taken without effect, as are the next three. */
  "turnSourceChannel"?: string | null;
  /** See `turn_source_channel`. */
  "turnSourceTo"?: string | null;
  /** See `turn_source_channel`. */
  "turnSourceAccountId"?: string | null;
  /** See `turn_source_channel`. */
  "turnSourceThreadId"?: unknown;
};

/** Parameters of [`NodeInvokeProgress`]. */
export type NodeInvokeProgressParams = {
  /** Of which request. */
  "invokeId": string;
  /** The node itself. */
  "nodeId": string;
  /** Which piece, from 0. */
  "seq": number;
  /** The piece; at most [`MAX_PROGRESS_CHUNK`] characters. */
  "chunk": string;
};

/** Parameters of [`NodeInvokeResult`]. */
export type NodeInvokeResultParams = {
  /** Of which request. */
  "id": string;
  /** The node itself. */
  "nodeId": string;
  /** Whether the command did what it should. */
  "ok": boolean;
  /** What came of it. */
  "payload"?: unknown;
  /** The same as JSON text; counts before `payload`. */
  "payloadJSON"?: string | null;
  /** What went wrong. */
  "error"?: NodeError | null;
};

/** Parameters of [`NodePendingAck`]. */
export type NodePendingAckParams = {
  /** Which; at least one. */
  "ids": Array<string>;
};

/** Parameters of [`NodePendingDrain`]. */
export type NodePendingDrainParams = {
  /** At most [`MAX_DRAIN`]. */
  "maxItems"?: number | null;
};

/** Parameters of [`NodePendingEnqueue`]. */
export type NodePendingEnqueueParams = {
  /** Which node. */
  "nodeId": string;
  /** What is asked. */
  "type": NodeWorkType;
  /** How urgent it is. */
  "priority"?: NodeWorkPriority | null;
  /** For how long it is of interest. */
  "expiresInMs"?: number | null;
  /** Whether to wake the node; there is nothing to wake it with yet. */
  "wake"?: boolean | null;
};

/** Parameters of [`NodePluginSurfaceRefresh`]. */
export type NodePluginSurfaceParams = {
  /** Which page. */
  "surface": string;
};

/** Which question is meant. */
export type NodeRequestParams = {
  /** Which. */
  "requestId": string;
};

/** Parameters of methods that may be about one conversation. */
export type OfSessionParams = {
  /** Which conversation. */
  "sessionKey"?: string | null;
  /** Whose. */
  "agentId"?: string | null;
};

/** Parameters of [`ChannelsPairingApprove`]. */
export type PairingApproveParams = {
  /** Which platform. */
  "channel": string;
  /** Which account. */
  "accountId": string;
  /** Which request. */
  "requestId": string;
  /** Tell the sender. */
  "notify"?: boolean | null;
  /** Also make the sender the owner; needs operator.admin. */
  "bootstrapCommandOwner"?: boolean | null;
};

/** Parameters of [`ChannelsPairingDismiss`]. */
export type PairingDismissParams = {
  /** Which platform. */
  "channel": string;
  /** Which account. */
  "accountId": string;
  /** Which request. */
  "requestId": string;
};

/** Parameters of [`ChannelsPairingList`]. */
export type PairingListParams = {
  /** Only those of this platform. */
  "channel"?: string | null;
  /** Only those of this account. */
  "accountId"?: string | null;
};

/** How the words of a message are written. */
export type ParseMode = "HTML";

/** Parameters of [`Poll`]. */
export type PollParams = {
  /** To whom. */
  "to": string;
  /** What is asked. */
  "question": string;
  /** What can be answered. */
  "options": Array<string>;
  /** Makes repeating harmless. */
  "idempotencyKey": string;
  /** How many answers one person may choose. */
  "maxSelections"?: number | null;
  /** How long it is open. */
  "durationSeconds"?: number | null;
  /** The same in hours. */
  "durationHours"?: number | null;
  /** Without a sound. */
  "silent"?: boolean | null;
  /** Without names. */
  "isAnonymous"?: boolean | null;
  /** In which thread. */
  "threadId"?: string | null;
  /** On which platform. */
  "channel"?: string | null;
  /** With which account. */
  "accountId"?: string | null;
};

/** Parameters of [`ProjectsList`]. */
export type ProjectsListParams = {
  /** Also folders that were only seen. */
  "includeObserved"?: boolean | null;
};

/** Who reads what a tool brings back. */
export type ReadOrigin = "direct-operator";

/** Parameters of [`DeviceScopesRequestUpgrade`]. */
export type ScopeUpgradeParams = {
  /** Everything it wants to be able to do, what it has included. */
  "scopes": Array<string>;
};

/** Parameters of [`Send`]. */
export type SendParams = {
  /** To whom. */
  "to": string;
  /** Makes repeating harmless; also the run's name. */
  "idempotencyKey": string;
  /** The words. */
  "message"?: string | null;
  /** A picture, sound or file. */
  "mediaUrl"?: string | null;
  /** Several. */
  "mediaUrls"?: Array<string> | null;
  /** A file in base64. */
  "buffer"?: string | null;
  /** Its name. */
  "filename"?: string | null;
  /** Its kind. */
  "contentType"?: string | null;
  /** As a voice message. */
  "asVoice"?: boolean | null;
  /** As a moving picture. */
  "gifPlayback"?: boolean | null;
  /** On which platform. */
  "channel"?: string | null;
  /** With which account. */
  "accountId"?: string | null;
  /** For which agent. */
  "agentId"?: string | null;
  /** In answer to which message. */
  "replyToId"?: string | null;
  /** In which thread. */
  "threadId"?: string | null;
  /** As a file, even if it is a picture. */
  "forceDocument"?: boolean | null;
  /** Without a sound. */
  "silent"?: boolean | null;
  /** How the words are written: `HTML`. */
  "parseMode"?: ParseMode | null;
  /** The conversation it belongs to. */
  "sessionKey"?: string | null;
};

/** Parameters of [`SessionPullRequestsSubscribe`]. */
export type SessionPullRequestsParams = {
  /** Of which conversations. */
  "sessionKeys": Array<string>;
  /** Whose. */
  "agentId"?: string | null;
};

/** Parameters of [`SessionsAbort`]: a key, a run, or both. */
export type SessionsAbortParams = {
  /** Which session. */
  "key"?: string | null;
  /** Which run. */
  "runId"?: string | null;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** Taken without effect: messages that wait go too unless a run is named. */
  "clearQueued"?: boolean | null;
};

/** Parameters of [`SessionsCleanup`]. */
export type SessionsCleanupParams = {
  /** Only this agent's sessions; the default one's when nothing is said. */
  "agent"?: string | null;
  /** Every agent's. */
  "allAgents"?: boolean | null;
  /** Do it; when left out, the configuration decides. */
  "enforce"?: boolean | null;
  /** A session to leave alone. */
  "activeKey"?: string | null;
  /** Also take away sessions whose transcript is gone. */
  "fixMissing"?: boolean | null;
  /** Taken without effect: keys are never rewritten. */
  "fixDmScope"?: boolean | null;
};

/** Parameters of [`SessionsCompact`]. */
export type SessionsCompactParams = {
  /** Which session. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** Keep so many of the newest entries and list the rest, without asking a model. */
  "maxLines"?: number | null;
  /** What the summary should keep or leave out. */
  "instructions"?: string | null;
};

/** Parameters of [`SessionsContext`]. */
export type SessionsContextParams = {
  /** Which conversation; the main one when nobody says. */
  "key"?: string | null;
  /** Whose, for bare keys. */
  "agentId"?: string | null;
};

/** Parameters of [`SessionsCreate`]. */
export type SessionsCreateParams = {
  /** The key; one is made when it is left out. */
  "key"?: string | null;
  /** The same one never makes a second session or run. */
  "idempotencyKey"?: string | null;
  /** Whose. */
  "agentId"?: string | null;
  /** Its name, unique per agent. */
  "label"?: string | null;
  /** A name to show. */
  "displayName"?: string | null;
  /** Text a title may be made from. */
  "titleSource"?: string | null;
  /** The drawer it goes into. */
  "category"?: string | null;
  /** `provider/model`. */
  "model"?: string | null;
  /** Who runs the turns; only Homard does. */
  "agentRuntime"?: string | null;
  /** Taken without effect. */
  "contextWindow"?: unknown;
  /** How hard to think. */
  "thinkingLevel"?: string | null;
  /** Taken without effect. */
  "fastMode"?: unknown;
  /** Taken without effect. */
  "permissionMode"?: string | null;
  /** Refused: tools are chosen by policy. */
  "toolOverrides"?: unknown;
  /** Refused when true: everything is kept. */
  "incognito"?: boolean | null;
  /** Taken without effect: there is one owner. */
  "visibility"?: string | null;
  /** Refused: there are no other catalogues. */
  "catalogId"?: string | null;
  /** The conversation it comes from. */
  "parentSessionKey"?: string | null;
  /** How deep it lies. */
  "spawnDepth"?: number | null;
  /** Refused when true: nothing is copied from the parent. */
  "fork"?: boolean | null;
  /** See above. */
  "forkFrom"?: string | null;
  /** Taken without effect. */
  "emitCommandHooks"?: boolean | null;
  /** Taken without effect. */
  "succeedsParent"?: boolean | null;
  /** Time limit of the first run. */
  "timeoutMs"?: number | null;
  /** The first message, as a task. */
  "task"?: string | null;
  /** The first message. */
  "message"?: string | null;
  /** Taken without effect. */
  "mentions"?: unknown;
  /** Files of the first message. */
  "attachments"?: Array<Attachment> | null;
  /** Refused: there are no projects. */
  "projectId"?: string | null;
  /** See above. */
  "projectGitUrl"?: string | null;
  /** See above. */
  "repository"?: unknown;
  /** Refused when true: there are no managed working copies. */
  "worktree"?: boolean | null;
  /** See above. */
  "worktreeSource"?: string | null;
  /** See above. */
  "worktreeBaseRef"?: string | null;
  /** See above. */
  "worktreeName"?: string | null;
  /** The node commands run on. */
  "execNode"?: string | null;
  /** Refused: agents work in their workspace. */
  "cwd"?: string | null;
};

/** Parameters of [`SessionsDelete`]. */
export type SessionsDeleteParams = {
  /** Which session. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** Taken without effect: the transcript always stays under an archive name. */
  "deleteTranscript"?: boolean | null;
  /** Only if this is still the transcript. */
  "expectedSessionId"?: string | null;
  /** Newer clients' guard, taken and ignored. */
  "expectedLifecycleRevision"?: string | null;
  /** Newer clients' guard, taken and ignored. */
  "expectedSessionUpdatedAt"?: number | null;
  /** Whether hooks hear of it. */
  "emitLifecycleHooks"?: boolean | null;
  /** Only if it was put away before. */
  "archivedOnly"?: boolean | null;
};

/** Parameters of [`SessionsDescribe`]. */
export type SessionsDescribeParams = {
  /** Which. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** With a title made from the first message. */
  "includeDerivedTitles"?: boolean | null;
  /** With the beginning of the last message. */
  "includeLastMessage"?: boolean | null;
};

/** Parameters of [`SessionsEnded`]. */
export type SessionsEndedParams = {
  /** Only this agent's. */
  "agentId"?: string | null;
  /** How many at most. */
  "limit"?: number | null;
};

/** Parameters of [`SessionsGet`]: one of the two keys. */
export type SessionsGetParams = {
  /** Which session. */
  "key"?: string | null;
  /** The same. */
  "sessionKey"?: string | null;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** How many at most. */
  "limit"?: number | null;
};

/** Parameters of [`SessionsGroupsDelete`]. */
export type SessionsGroupsDeleteParams = {
  /** Its name. */
  "name": string;
};

/** Parameters of [`SessionsGroupsPut`]. */
export type SessionsGroupsPutParams = {
  /** In order. */
  "names": Array<string>;
  /** Kept as it is. */
  "sectionOrder"?: Array<string> | null;
};

/** Parameters of [`SessionsGroupsRename`]. */
export type SessionsGroupsRenameParams = {
  /** Its name. */
  "name": string;
  /** The new one. */
  "to": string;
};

/** Parameters of [`SessionsGroupsUpdate`]. */
export type SessionsGroupsUpdateParams = {
  /** Its name. */
  "name": string;
  /** The folder; `null` for none. */
  "cwd"?: string | null;
  /** Whether it gets a working copy. */
  "worktree": boolean;
};

/** Parameters of [`SessionsList`]. Filters for things Homard does not have match everything. */
export type SessionsListParams = {
  /** Page size. */
  "limit"?: number | null;
  /** Page start. */
  "offset"?: number | null;
  /** Only what changed in the last so many minutes. */
  "activeMinutes"?: number | null;
  /** Only sessions with a run under way. */
  "activeOnly"?: boolean | null;
  /** Only sessions somebody wrote to. */
  "requireLastInteraction"?: boolean | null;
  /** `updatedAt`, `lastInteractionAt` or `activity`. */
  "sortBy"?: string | null;
  /** Whether to list `global`. */
  "includeGlobal"?: boolean | null;
  /** Whether to list `unknown`. */
  "includeUnknown"?: boolean | null;
  /** Leave out subagents. */
  "excludeSubagents"?: boolean | null;
  /** Leave out cron. */
  "excludeCron"?: boolean | null;
  /** Leave out background sessions. */
  "excludeSystem"?: boolean | null;
  /** Only agents that are configured. */
  "configuredAgentsOnly"?: boolean | null;
  /** With the beginning of the first message. */
  "includeDerivedTitles"?: boolean | null;
  /** With the beginning of the last message. */
  "includeLastMessage"?: boolean | null;
  /** With recaps; Homard has none. */
  "includeActivitySummary"?: boolean | null;
  /** Exactly this label. */
  "label"?: string | null;
  /** Only of this agent. */
  "agentId"?: string | null;
  /** Text in key, label or title. */
  "search"?: string | null;
  /** `true`, `false` or `all`. */
  "archived"?: unknown;
  /** Only pinned ones. */
  "pinned"?: boolean | null;
  /** Only children of this session. */
  "spawnedBy"?: string | null;
  /** Newer clients' filters, taken and ignored. */
  "projectId"?: unknown;
  /** See above. */
  "workspaceDir"?: unknown;
  /** See above. */
  "group"?: unknown;
  /** See above. */
  "boardFace"?: unknown;
  /** See above. */
  "hasBoard"?: unknown;
  /** See above. */
  "creatorId"?: unknown;
  /** See above. */
  "ownerId"?: unknown;
  /** See above. */
  "ownerFirst"?: unknown;
  /** See above. */
  "involvingMe"?: unknown;
  /** See above. */
  "profileRelation"?: unknown;
  /** See above. */
  "involvingProfileId"?: unknown;
  /** See above. */
  "includePeople"?: unknown;
};

/** Parameters of [`SessionsMessagesSubscribe`]. */
export type SessionsMessagesSubscribeParams = {
  /** Which. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** Also what waits for an answer. */
  "includeApprovals"?: boolean | null;
};

/** Parameters of [`SessionsMessagesUnsubscribe`]. */
export type SessionsMessagesUnsubscribeParams = {
  /** Which. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
};

/** Parameters of [`SessionsPatch`]; `null` clears a setting. */
export type SessionsPatchParams = {
  /** Which session. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
} & Record<string, unknown>;

/** Parameters of [`SessionsPreview`]. */
export type SessionsPreviewParams = {
  /** Which; the first [`MAX_PREVIEW_KEYS`] are looked at. */
  "keys": Array<string>;
  /** Messages each. */
  "limit"?: number | null;
  /** Characters each. */
  "maxChars"?: number | null;
};

/** Parameters of [`SessionsReset`]. */
export type SessionsResetParams = {
  /** Which session. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** `new` or `reset`. */
  "reason"?: string | null;
  /** Only if this is still the transcript. */
  "expectedSessionId"?: string | null;
};

/** Parameters of [`SessionsResolve`]: one of key, session id, label or short id. */
export type SessionsResolveParams = {
  /** A key, canonical or bare. */
  "key"?: string | null;
  /** A transcript. */
  "sessionId"?: string | null;
  /** A label. */
  "label"?: string | null;
  /** A link's contents. */
  "reference"?: unknown;
  /** The beginning of a session id. */
  "shortId"?: string | null;
  /** Decoration of a link. */
  "slugHint"?: string | null;
  /** Whose. */
  "agentId"?: string | null;
  /** Only children of this session. */
  "spawnedBy"?: string | null;
  /** Whether `global` counts. */
  "includeGlobal"?: boolean | null;
  /** Whether `unknown` counts. */
  "includeUnknown"?: boolean | null;
  /** Answer `ok: false` instead of an error. */
  "allowMissing"?: boolean | null;
};

/** Parameters of [`SessionsRestore`]: a key, or a transcript. */
export type SessionsRestoreParams = {
  /** The last one that ended under this key. */
  "key"?: string | null;
  /** Exactly this one. */
  "sessionId"?: string | null;
  /** For bare keys: whose. */
  "agentId"?: string | null;
};

/** Parameters of [`SessionsSearch`]. */
export type SessionsSearchParams = {
  /** Words, all of which must be there; those in quotes in this order. */
  "query": string;
  /** Only this agent's sessions. */
  "agentId"?: string | null;
  /** Only these sessions. */
  "sessionKeys"?: Array<string> | null;
  /** Only sessions that `sessions.list` would list with this. */
  "scope"?: SessionsListParams | null;
  /** How many at most. */
  "limit"?: number | null;
};

/** Parameters of [`SessionsSend`] and [`SessionsSteer`]. */
export type SessionsSendParams = {
  /** Which session. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** What is said. */
  "message": string;
  /** Taken without effect. */
  "mentions"?: unknown;
  /** How hard to think in this turn. */
  "thinking"?: string | null;
  /** Files. */
  "attachments"?: Array<Attachment> | null;
  /** Time limit of the run. */
  "timeoutMs"?: number | null;
  /** Becomes the run id; one is made when it is left out. */
  "idempotencyKey"?: string | null;
};

/** Parameters of [`SessionsUsageLogs`]. */
export type SessionsUsageLogsParams = {
  /** Which conversation. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
  /** How many messages at most, [`MAX_LOGS`] being the most. */
  "limit"?: number | null;
};

/** Parameters of [`SessionsUsage`]. What newer clients add is taken and ignored. */
export type SessionsUsageParams = {
  /** Only this conversation. */
  "key"?: string | null;
  /** Only this agent's; for bare keys: whose. */
  "agentId"?: string | null;
  /** `all`: every agent's. */
  "agentScope"?: string | null;
  /** The first day, `YYYY-MM-DD`. */
  "startDate"?: string | null;
  /** The last day, `YYYY-MM-DD`. */
  "endDate"?: string | null;
  /** So many days up to today. */
  "days"?: number | null;
  /** `7d`, `30d`, `90d`, `1y` or `all`. */
  "range"?: string | null;
  /** Whose days: `utc`, `gateway` (its time zone) or `specific` (the next two fields). */
  "mode"?: string | null;
  /** For `specific`: `UTC+2` or `UTC-5:30`. */
  "utcOffset"?: string | null;
  /** For `specific`: an IANA name such as `Europe/Paris`; wins over the offset. */
  "timeZone"?: string | null;
  /** Most sessions listed; the sums are over all. */
  "limit"?: number | null;
};

/** Parameters of [`SessionsUsageTimeseries`]. */
export type SessionsUsageTimeseriesParams = {
  /** Which conversation. */
  "key": string;
  /** For bare keys: whose. */
  "agentId"?: string | null;
};

/** Parameters of [`SetHeartbeats`]. */
export type SetHeartbeatsParams = {
  /** Whether events may start turns. */
  "enabled": boolean;
};

/** Parameters of [`DevicePairSetupCode`]. */
export type SetupCodeParams = {
  /** Where the device finds this gateway; worked out from the configuration when left out. */
  "publicUrl"?: string | null;
  /** Prefer `gateway.remote.url` to the address in the local network. */
  "preferRemoteUrl"?: boolean | null;
  /** Whether a picture of the code is wanted; it is unless this is false. */
  "includeQr"?: boolean | null;
  /** What the device may do; everything a person's own device may when left out. */
  "bootstrapProfile"?: SetupProfile | null;
  /** Also an address that hands the code out once; for nodes only. */
  "joinUrl"?: boolean | null;
};

/** What a device that comes with a code may do. */
export type SetupProfile = "limited" | "node" | "voice-node";

/** Parameters of [`DevicePairSetupStatus`]. */
export type SetupStatusParams = {
  /** As the code's answer named it. */
  "setupId": string;
};

/** Parameters of [`SkillsInstall`]: `name` and `installId` for a skill's own programs; the other forms name a `source` of whole skills. */
export type SkillsInstallParams = {
  /** Whose skill. */
  "agentId"?: string | null;
  /** The skill. */
  "name"?: string | null;
  /** Which of its ways to install. */
  "installId"?: string | null;
  /** Taken without effect: there is no check it would skip. */
  "dangerouslyForceUnsafeInstall"?: boolean | null;
  /** How long it may take. */
  "timeoutMs"?: number | null;
  /** `clawhub` or `upload`, for whole skills. */
  "source"?: string | null;
  /** Name of a whole skill at its source. */
  "slug"?: string | null;
  /** Its version. */
  "version"?: string | null;
  /** Replace one that is there. */
  "force"?: boolean | null;
  /** What was uploaded. */
  "uploadId"?: string | null;
  /** Its checksum. */
  "sha256"?: string | null;
};

/** Parameters of [`SkillsStatus`]. */
export type SkillsStatusParams = {
  /** Whose; the default agent's when absent. */
  "agentId"?: string | null;
  /** Those of the agent that answers in this session. */
  "sessionKey"?: string | null;
};

/** Parameters of [`SkillsUpdate`]: what the owner says about one skill; the other form names a `source` to update whole skills from. */
export type SkillsUpdateParams = {
  /** The skill's key. */
  "skillKey"?: string | null;
  /** Turn it on or off. */
  "enabled"?: boolean | null;
  /** Its key; blank takes it away. */
  "apiKey"?: string | null;
  /** Its variables; a blank value takes one away, those that are not named stay. */
  "env"?: Record<string, string> | null;
  /** Whose skills. */
  "agentId"?: string | null;
  /** `clawhub`, for whole skills. */
  "source"?: string | null;
  /** Name of a whole skill at its source. */
  "slug"?: string | null;
  /** All of them. */
  "all"?: boolean | null;
  /** Also when they were changed here. */
  "force"?: boolean | null;
};

/** Which page. */
export type SurfaceParams = {
  /** For example `canvas`. */
  "surface": string;
};

/** Parameters of [`SystemEvent`]. What is said about a device beside the text is not looked at: presence comes from connections. */
export type SystemEventParams = {
  /** What happened. */
  "text": string;
  /** Makes telling it again harmless, when a turn is started. */
  "idempotencyKey"?: string | null;
  /** Which conversation; the main one, unless given. */
  "sessionKey"?: string | null;
  /** Whether a turn is started. */
  "wake"?: boolean | null;
  /** Of the device that says so. */
  "deviceId"?: string | null;
  /** Of the device that says so. */
  "instanceId"?: string | null;
  /** Of the device that says so. */
  "host"?: string | null;
  /** Of the device that says so. */
  "ip"?: string | null;
  /** Of the device that says so. */
  "mode"?: string | null;
  /** Of the device that says so. */
  "version"?: string | null;
  /** Of the device that says so. */
  "platform"?: string | null;
  /** Of the device that says so. */
  "deviceFamily"?: string | null;
  /** Of the device that says so. */
  "modelIdentifier"?: string | null;
  /** Of the device that says so. */
  "lastInputSeconds"?: number | null;
  /** Of the device that says so. */
  "reason"?: string | null;
  /** Of the device that says so. */
  "roles"?: Array<string> | null;
  /** Of the device that says so. */
  "scopes"?: Array<string> | null;
  /** Of the device that says so. */
  "tags"?: Array<string> | null;
};

/** Parameters of [`TalkCatalog`]. */
export type TalkCatalogParams = {
  /** Only this one. */
  "provider"?: string | null;
  /** Only this one. */
  "model"?: string | null;
};

/** Parameters of [`TalkConfig`]. */
export type TalkConfigParams = {
  /** With keys; needs operator.talk.secrets. */
  "includeSecrets"?: boolean | null;
};

/** Parameters of [`TalkMode`]. */
export type TalkModeParams = {
  /** Whether somebody talks. */
  "enabled": boolean;
  /** How far they are. */
  "phase"?: string | null;
};

/** Parameters of [`TalkSpeak`]. Those that the speaker does not know change nothing. */
export type TalkSpeakParams = {
  /** What to say. */
  "text": string;
  /** With which voice. */
  "voiceId"?: string | null;
  /** With which model. */
  "modelId"?: string | null;
  /** In which format. */
  "outputFormat"?: string | null;
  /** How fast, as a factor. */
  "speed"?: number | null;
  /** How fast, in words a minute. */
  "rateWpm"?: number | null;
  /** Of some speakers. */
  "stability"?: number | null;
  /** Of some speakers. */
  "similarity"?: number | null;
  /** Of some speakers. */
  "style"?: number | null;
  /** Of some speakers. */
  "speakerBoost"?: boolean | null;
  /** Of some speakers. */
  "seed"?: number | null;
  /** Of some speakers. */
  "normalize"?: string | null;
  /** In which language. */
  "language"?: string | null;
  /** Of some speakers. */
  "latencyTier"?: number | null;
};

/** Parameters of [`TasksList`]. */
export type TasksListParams = {
  /** Only these. */
  "status"?: unknown;
  /** Whose. */
  "agentId"?: string | null;
  /** Of which conversation. */
  "sessionKey"?: string | null;
  /** How many, up to 500. */
  "limit"?: number | null;
  /** Where to go on. */
  "cursor"?: string | null;
  /** `updatedAt` or `endedAt`. */
  "sortBy"?: string | null;
};

/** Parameters of [`ToolsCatalog`]. */
export type ToolsCatalogParams = {
  /** Whose; the default agent's when left out. */
  "agentId"?: string | null;
  /** Whether tools of plugins are listed too. */
  "includePlugins"?: boolean | null;
};

/** Parameters of [`ToolsEffective`]. */
export type ToolsEffectiveParams = {
  /** Whose, for bare keys. */
  "agentId"?: string | null;
  /** The conversation; it must exist. */
  "sessionKey": string;
};

/** Parameters of [`ToolsExplain`]. The conversation need not exist. */
export type ToolsExplainParams = {
  /** The tool; all of them when left out. */
  "name"?: string | null;
  /** The conversation; the default agent's main one when left out. */
  "sessionKey"?: string | null;
  /** Supposing that this sender speaks; the owner when left out. */
  "sender"?: string | null;
  /** Supposing that this model answers. */
  "model"?: string | null;
};

/** Parameters of [`ToolsInvoke`]. */
export type ToolsInvokeParams = {
  /** Which tool. */
  "name": string;
  /** Its arguments. */
  "args"?: Record<string, unknown> | null;
  /** In which conversation; the agent's main one when left out. */
  "sessionKey"?: string | null;
  /** Whose, when the conversation does not say. */
  "agentId"?: string | null;
  /** Ask people for approval where it is needed, and wait for their answer; otherwise the need is only told. */
  "confirm"?: boolean | null;
  /** Names the call, so that repeating it does not do it twice. */
  "idempotencyKey"?: string | null;
  /** Who reads what comes back, for tools that read conversations. */
  "conversationReadOrigin"?: ReadOrigin | null;
};

/** Parameters of [`TtsConvert`]. */
export type TtsConvertParams = {
  /** What to say. */
  "text": string;
  /** For which platform. */
  "channel"?: string | null;
  /** Who speaks, other than usual. */
  "provider"?: string | null;
  /** With which model. */
  "modelId"?: string | null;
  /** With which voice. */
  "voiceId"?: string | null;
};

/** Parameters of [`UndoApply`]. */
export type UndoApplyParams = {
  /** In this conversation; any when left out. */
  "sessionKey"?: string | null;
  /** This run; the last one when left out. */
  "runId"?: string | null;
  /** Put files back even if they changed since. */
  "force"?: boolean;
  /** Only say what would be done. */
  "dryRun"?: boolean;
};

/** Parameters of [`UndoList`]. */
export type UndoListParams = {
  /** Only of this conversation. */
  "sessionKey"?: string | null;
  /** How many at most. */
  "limit"?: number | null;
};

/** Parameters of [`UpdateRun`]; taken and not used, because Homard does not update itself. */
export type UpdateRunParams = {
  /** Who asks. */
  "requester"?: Record<string, unknown> | null;
  /** Whom to tell afterwards. */
  "sessionKey"?: string | null;
  /** Where to tell it. */
  "deliveryContext"?: Record<string, unknown> | null;
  /** What to tell. */
  "note"?: string | null;
  /** What to go on with. */
  "continuationMessage"?: string | null;
  /** How long to wait before the restart. */
  "restartDelayMs"?: number | null;
  /** How long the update may take. */
  "timeoutMs"?: number | null;
  /** What to update to. */
  "target"?: Record<string, unknown> | null;
};

/** Parameters of [`UpdateStatus`]. */
export type UpdateStatusParams = {
  /** Look at the checkout again; taken, nothing is looked up. */
  "refreshCheckout"?: boolean | null;
};

/** Parameters of [`UsageCost`]. */
export type UsageCostParams = {
  /** The first day, `YYYY-MM-DD`. */
  "startDate"?: string | null;
  /** The last day, `YYYY-MM-DD`. */
  "endDate"?: string | null;
  /** So many days up to today. */
  "days"?: number | null;
  /** `7d`, `30d`, `90d`, `1y` or `all`. */
  "range"?: string | null;
  /** Whose days: `utc`, `gateway` (its time zone) or `specific` (the next two fields). */
  "mode"?: string | null;
  /** For `specific`: `UTC+2` or `UTC-5:30`. */
  "utcOffset"?: string | null;
  /** For `specific`: an IANA name such as `Europe/Paris`; wins over the offset. */
  "timeZone"?: string | null;
  /** Only this agent's. */
  "agentId"?: string | null;
  /** `all`: every agent's, whatever `agentId` says. */
  "agentScope"?: string | null;
};

/** Parameters of [`UsageHours`]. */
export type UsageHoursParams = {
  /** How many, the one under way included. */
  "hours"?: number | null;
  /** Only this agent's. */
  "agentId"?: string | null;
};

/** Parameters of [`UsageRuns`]. */
export type UsageRunsParams = {
  /** Only those of this conversation. */
  "sessionKey"?: string | null;
  /** How many at most. */
  "limit"?: number | null;
};

/** Parameters of [`UsersPrefsGet`]. */
export type UsersPrefsParams = {
  /** Only these. */
  "keys"?: Array<string> | null;
};

/** Parameters of [`SessionsViewersSet`]. */
export type ViewersParams = {
  /** Which. */
  "sessionKeys": Array<string>;
  /** Whose. */
  "agentId"?: string | null;
};

/** Parameters of [`SessionsObserverVisibility`]. */
export type VisibilityParams = {
  /** Whether it does. */
  "visible": boolean;
};

/** Parameters of [`WakeUp`]; what else clients send is not looked at. */
export type WakeParams = {
  /** Whether a turn is started. */
  "mode": CronWakeMode;
  /** What happened. */
  "text": string;
  /** Which conversation; the main one, unless given. */
  "sessionKey"?: string | null;
  /** Whose. */
  "agentId"?: string | null;
} & Record<string, unknown>;

/** Parameters of [`WebLoginStart`]. */
export type WebLoginStartParams = {
  /** Which platform. */
  "channel"?: string | null;
  /** Log in anew. */
  "force"?: boolean | null;
  /** How long that may take. */
  "timeoutMs"?: number | null;
  /** Say more. */
  "verbose"?: boolean | null;
  /** Which account. */
  "accountId"?: string | null;
};

/** Parameters of [`WebLoginWait`]. */
export type WebLoginWaitParams = {
  /** Which platform. */
  "channel"?: string | null;
  /** Which login, as the start named it. */
  "sessionKey"?: string | null;
  /** How long to wait. */
  "timeoutMs"?: number | null;
  /** Which account. */
  "accountId"?: string | null;
  /** The code shown now; a newer one is answered at once. */
  "currentQrDataUrl"?: string | null;
};

/** An answer. `Debug` hides it: it may be a key. */
export type WizardAnswer = {
  /** To which question. */
  "stepId": string;
  /** What is answered. */
  "value"?: unknown;
};

/** Parameters of [`WizardCancel`]. */
export type WizardCancelParams = {
  /** Which wizard. */
  "sessionId": string;
  /** Taken; a question that waits is over in any case. */
  "closeInput"?: boolean | null;
};

/** What to set up. */
export type WizardFlow = "setup" | "channels";

/** Which kind of gateway. */
export type WizardMode = "local" | "remote";

/** Parameters of [`WizardNext`]. */
export type WizardNextParams = {
  /** Which wizard. */
  "sessionId": string;
  /** The answer to its question; without one the question is asked again. */
  "answer"?: WizardAnswer | null;
};

/** Which wizard. */
export type WizardSessionParams = {
  /** As the start named it. */
  "sessionId": string;
};

/** Parameters of [`WizardStart`]. */
export type WizardStartParams = {
  /** Which kind of gateway; only a local one can be set up. */
  "mode"?: WizardMode | null;
  /** Where the default agent works. */
  "workspace"?: string | null;
  /** Start with the machine; taken and not used. */
  "installDaemon"?: boolean | null;
  /** What to set up. */
  "flow"?: WizardFlow | null;
  /** Which platform, for [`WizardFlow::Channels`]. */
  "channel"?: string | null;
};

/** What every method is asked and answers. */
export interface Methods {
  'agent': { params: AgentParams; result: unknown };
  'agent.identity.get': { params: AgentIdentityParams; result: AgentIdentityResult };
  'agent.wait': { params: AgentWaitParams; result: AgentWaitResult };
  'agents.create': { params: AgentsCreateParams; result: AgentsCreateResult };
  'agents.delete': { params: AgentsDeleteParams; result: AgentsDeleteResult };
  'agents.files.get': { params: AgentsFilesGetParams; result: AgentsFilesGetResult };
  'agents.files.list': { params: AgentsFilesListParams; result: AgentsFilesListResult };
  'agents.files.set': { params: AgentsFilesSetParams; result: AgentsFilesSetResult };
  'agents.list': { params: NoParams; result: AgentsListResult };
  'agents.update': { params: AgentsUpdateParams; result: AgentsUpdateResult };
  'board.get': { params: InSessionParams; result: Board };
  'browser.request': { params: BrowserRequestParams; result: unknown };
  'channels.check': { params: ChannelsCheckParams; result: ChannelsCheckResult };
  'channels.deadLetters': { params: DeadLettersParams; result: DeadLettersResult };
  'channels.logout': { params: AccountParams; result: unknown };
  'channels.pairing.approve': { params: PairingApproveParams; result: PairingApproved };
  'channels.pairing.dismiss': { params: PairingDismissParams; result: PairingDismissed };
  'channels.pairing.list': { params: PairingListParams; result: PairingListResult };
  'channels.platforms': { params: NoParams; result: ChannelsPlatformsResult };
  'channels.start': { params: AccountParams; result: unknown };
  'channels.status': { params: ChannelsStatusParams; result: ChannelsStatusResult };
  'channels.stop': { params: AccountParams; result: unknown };
  'chat.abort': { params: ChatAbortParams; result: ChatAbortResult };
  'chat.history': { params: ChatHistoryParams; result: ChatHistoryResult };
  'chat.inject': { params: ChatInjectParams; result: ChatInjectResult };
  'chat.message.get': { params: ChatMessageGetParams; result: ChatMessageGetResult };
  'chat.metadata': { params: ChatMetadataParams; result: ChatMetadataResult };
  'chat.send': { params: ChatSendParams; result: ChatSendResult };
  'chat.startup': { params: ChatHistoryParams; result: ChatStartupResult };
  'commands.list': { params: CommandsListParams; result: CommandsListResult };
  'config.apply': { params: ConfigApplyParams; result: ConfigWriteResult };
  'config.get': { params: NoParams; result: ConfigSnapshot };
  'config.openFile': { params: NoParams; result: ConfigOpenFileResult };
  'config.patch': { params: ConfigApplyParams; result: ConfigWriteResult };
  'config.schema': { params: NoParams; result: ConfigSchemaResult };
  'config.schema.lookup': { params: ConfigSchemaLookupParams; result: ConfigSchemaLookupResult };
  'config.set': { params: ConfigSetParams; result: ConfigWriteResult };
  'controlUi.sessionPullRequests.subscribe': { params: SessionPullRequestsParams; result: SubscribedResult };
  'cron.add': { params: CronAddParams; result: CronAddResult };
  'cron.get': { params: CronJobParams; result: CronJob };
  'cron.list': { params: CronListParams; result: CronListResult };
  'cron.preview': { params: CronPreviewParams; result: CronPreviewResult };
  'cron.remove': { params: CronJobParams; result: CronRemoveResult };
  'cron.run': { params: CronRunParams; result: CronRunResult };
  'cron.runs': { params: CronRunsParams; result: CronRunsResult };
  'cron.status': { params: NoParams; result: CronStatusResult };
  'cron.update': { params: CronUpdateParams; result: CronJob };
  'device.pair.approve': { params: DeviceRequestParams; result: DevicePairApproved };
  'device.pair.list': { params: NoParams; result: DevicePairListResult };
  'device.pair.reject': { params: DeviceRequestParams; result: DevicePairRejected };
  'device.pair.remove': { params: DeviceParams; result: DeviceParams };
  'device.pair.rename': { params: DeviceLabel; result: DeviceLabel };
  'device.pair.setupCode': { params: SetupCodeParams; result: SetupCodeResult };
  'device.pair.setupStatus': { params: SetupStatusParams; result: SetupStatusResult };
  'device.scopes.requestUpgrade': { params: ScopeUpgradeParams; result: ScopeUpgradeAsked };
  'device.scopes.waitUpgrade': { params: ScopeUpgradeAsked; result: ScopeUpgradeOutcome };
  'device.token.revoke': { params: DeviceTokenParams; result: DeviceTokenRevoked };
  'device.token.rotate': { params: DeviceTokenRotateParams; result: DeviceTokenRotated };
  'exec.approval.get': { params: ApprovalIdParams; result: ExecApprovalGetResult };
  'exec.approval.list': { params: NoParams; result: Array<PendingApproval> };
  'exec.approval.request': { params: ExecApprovalRequestParams; result: ApprovalDecided };
  'exec.approval.resolve': { params: ApprovalResolveParams; result: ApprovalResolved };
  'exec.approval.waitDecision': { params: ApprovalIdParams; result: ApprovalDecided };
  'exec.approvals.get': { params: NoParams; result: ExecApprovalsSnapshot };
  'exec.approvals.node.get': { params: NodeParams; result: unknown };
  'exec.approvals.node.set': { params: ExecApprovalsNodeSetParams; result: unknown };
  'exec.approvals.set': { params: ExecApprovalsSetParams; result: ExecApprovalsSnapshot };
  'gateway.identity.get': { params: NoParams; result: GatewayIdentity };
  'health': { params: HealthParams; result: unknown };
  'last-heartbeat': { params: NoParams; result: unknown };
  'logs.tail': { params: LogsTailParams; result: LogsTailResult };
  'memory.get': { params: MemoryGetParams; result: MemoryGetResult };
  'memory.list': { params: MemoryListParams; result: MemoryListResult };
  'memory.search': { params: MemorySearchParams; result: MemorySearchResult };
  'mentions.list': { params: NoParams; result: MentionsListResult };
  'message.action': { params: MessageActionParams; result: unknown };
  'models.authImport': { params: ModelsAuthImportParams; result: ModelsAuthImportResult };
  'models.authLogout': { params: ModelsAuthLogoutParams; result: ModelsAuthLogoutResult };
  'models.authSetApiKey': { params: ModelsAuthSetApiKeyParams; result: ModelsAuthSetApiKeyResult };
  'models.authStatus': { params: ModelsAuthStatusParams; result: ModelsAuthStatusResult };
  'models.list': { params: ModelsListParams; result: ModelsListResult };
  'models.probe': { params: ModelsProbeParams; result: ModelsProbeResult };
  'node.describe': { params: NodeParams; result: NodeDescribeResult };
  'node.event': { params: NodeEventParams; result: NodeEventHeard };
  'node.invoke': { params: NodeInvokeParams; result: NodeInvoked };
  'node.invoke.progress': { params: NodeInvokeProgressParams; result: NodeProgressHeard };
  'node.invoke.result': { params: NodeInvokeResultParams; result: NodeHeard };
  'node.list': { params: NoParams; result: NodeListResult };
  'node.pair.approve': { params: NodeRequestParams; result: NodePairApproved };
  'node.pair.list': { params: NoParams; result: NodePairListResult };
  'node.pair.reject': { params: NodeRequestParams; result: NodePairRejected };
  'node.pair.remove': { params: NodeParams; result: NodeParams };
  'node.pending.ack': { params: NodePendingAckParams; result: NodePendingAcked };
  'node.pending.drain': { params: NodePendingDrainParams; result: NodePendingDrained };
  'node.pending.enqueue': { params: NodePendingEnqueueParams; result: NodePendingEnqueued };
  'node.pending.pull': { params: NoParams; result: NodePendingActions };
  'node.pluginSurface.refresh': { params: NodePluginSurfaceParams; result: NodePluginSurfaceResult };
  'node.rename': { params: NodeName; result: NodeName };
  'openclaw.approval.list': { params: NoParams; result: Array<unknown> };
  'plugin.approval.list': { params: NoParams; result: Array<PendingApproval2> };
  'plugin.approval.resolve': { params: ApprovalResolveParams; result: ApprovalResolved };
  'plugin.surface.refresh': { params: SurfaceParams; result: SurfaceUrls };
  'plugins.controlUi.list': { params: NoParams; result: ControlUiPlugins };
  'poll': { params: PollParams; result: unknown };
  'progressCard.get': { params: InSessionParams; result: ProgressCardResult };
  'projects.list': { params: ProjectsListParams; result: ProjectsListResult };
  'question.list': { params: NoParams; result: QuestionListResult };
  'secrets.reload': { params: NoParams; result: SecretsReloaded };
  'send': { params: SendParams; result: unknown };
  'session.discussion.info': { params: InSessionParams; result: DiscussionInfo };
  'session.members.listEvidence': { params: InSessionParams; result: MembersEvidence };
  'sessions.abort': { params: SessionsAbortParams; result: SessionsAbortResult };
  'sessions.branches.list': { params: InSessionParams; result: BranchesListResult };
  'sessions.branches.switch': { params: BranchesSwitchParams; result: BranchesSwitchResult };
  'sessions.catalog.list': { params: CatalogListParams; result: CatalogListResult };
  'sessions.cleanup': { params: SessionsCleanupParams; result: SessionsCleanupResult };
  'sessions.compact': { params: SessionsCompactParams; result: SessionsCompactResult };
  'sessions.companion.state': { params: InSessionParams; result: CompanionStateResult };
  'sessions.context': { params: SessionsContextParams; result: SessionsContextResult };
  'sessions.create': { params: SessionsCreateParams; result: SessionsCreateResult };
  'sessions.delete': { params: SessionsDeleteParams; result: SessionsDeleteResult };
  'sessions.describe': { params: SessionsDescribeParams; result: SessionsDescribeResult };
  'sessions.ended': { params: SessionsEndedParams; result: SessionsEndedResult };
  'sessions.fork': { params: AtEntryParams; result: SessionsForkResult };
  'sessions.get': { params: SessionsGetParams; result: SessionsGetResult };
  'sessions.groups.defaults': { params: NoParams; result: SessionsGroupsDefaultsResult };
  'sessions.groups.delete': { params: SessionsGroupsDeleteParams; result: SessionsGroupsMutationResult };
  'sessions.groups.list': { params: NoParams; result: SessionsGroupsListResult };
  'sessions.groups.put': { params: SessionsGroupsPutParams; result: SessionsGroupsMutationResult };
  'sessions.groups.rename': { params: SessionsGroupsRenameParams; result: SessionsGroupsMutationResult };
  'sessions.groups.update': { params: SessionsGroupsUpdateParams; result: SessionsGroupsUpdateResult };
  'sessions.list': { params: SessionsListParams; result: SessionsListResult };
  'sessions.messages.subscribe': { params: SessionsMessagesSubscribeParams; result: SessionsMessagesResult };
  'sessions.messages.unsubscribe': { params: SessionsMessagesUnsubscribeParams; result: SessionsMessagesResult };
  'sessions.observer.visibility': { params: VisibilityParams; result: Taken };
  'sessions.patch': { params: SessionsPatchParams; result: SessionsPatchResult };
  'sessions.preview': { params: SessionsPreviewParams; result: SessionsPreviewResult };
  'sessions.reset': { params: SessionsResetParams; result: SessionsResetResult };
  'sessions.resolve': { params: SessionsResolveParams; result: SessionsResolveResult };
  'sessions.restore': { params: SessionsRestoreParams; result: SessionsRestoreResult };
  'sessions.rewind': { params: AtEntryParams; result: SessionsRewindResult };
  'sessions.search': { params: SessionsSearchParams; result: SessionsSearchResult };
  'sessions.send': { params: SessionsSendParams; result: ChatSendResult };
  'sessions.steer': { params: SessionsSendParams; result: ChatSendResult };
  'sessions.subscribe': { params: SessionsListParams; result: SessionsSubscribeResult };
  'sessions.usage': { params: SessionsUsageParams; result: SessionsUsageResult };
  'sessions.usage.logs': { params: SessionsUsageLogsParams; result: SessionsUsageLogsResult };
  'sessions.usage.timeseries': { params: SessionsUsageTimeseriesParams; result: SessionsUsageTimeseriesResult };
  'sessions.viewers.set': { params: ViewersParams; result: Viewed };
  'set-heartbeats': { params: SetHeartbeatsParams; result: SetHeartbeatsResult };
  'skills.bins': { params: NoParams; result: SkillsBinsResult };
  'skills.install': { params: SkillsInstallParams; result: SkillsInstallResult };
  'skills.status': { params: SkillsStatusParams; result: SkillsStatusResult };
  'skills.update': { params: SkillsUpdateParams; result: SkillsUpdateResult };
  'status': { params: NoParams; result: unknown };
  'system-event': { params: SystemEventParams; result: WakeResult };
  'system-presence': { params: NoParams; result: Array<PresenceEntry> };
  'system.info': { params: NoParams; result: SystemInfoResult };
  'talk.catalog': { params: TalkCatalogParams; result: TalkCatalogResult };
  'talk.config': { params: TalkConfigParams; result: TalkConfigResult };
  'talk.mode': { params: TalkModeParams; result: TalkModeResult };
  'talk.speak': { params: TalkSpeakParams; result: TalkSpoken };
  'taskSuggestions.list': { params: OfSessionParams; result: TaskSuggestionsResult };
  'tasks.list': { params: TasksListParams; result: TasksListResult };
  'tools.catalog': { params: ToolsCatalogParams; result: ToolsCatalogResult };
  'tools.effective': { params: ToolsEffectiveParams; result: ToolsEffectiveResult };
  'tools.explain': { params: ToolsExplainParams; result: ToolsExplainResult };
  'tools.invoke': { params: ToolsInvokeParams; result: ToolsInvokeResult };
  'tts.convert': { params: TtsConvertParams; result: TtsConverted };
  'tts.disable': { params: NoParams; result: TtsEnabled };
  'tts.enable': { params: NoParams; result: TtsEnabled };
  'tts.providers': { params: NoParams; result: TtsProvidersResult };
  'tts.setProvider': { params: TtsChosen; result: TtsChosen };
  'tts.status': { params: NoParams; result: TtsStatusResult };
  'undo.apply': { params: UndoApplyParams; result: UndoApplyResult };
  'undo.list': { params: UndoListParams; result: UndoListResult };
  'update.run': { params: UpdateRunParams; result: UpdateRunResult };
  'update.status': { params: UpdateStatusParams; result: UpdateStatusResult };
  'usage.cost': { params: UsageCostParams; result: UsageCostResult };
  'usage.hours': { params: UsageHoursParams; result: UsageHoursResult };
  'usage.runs': { params: UsageRunsParams; result: UsageRunsResult };
  'usage.status': { params: NoParams; result: UsageStatusResult };
  'users.prefs.get': { params: UsersPrefsParams; result: UsersPrefs };
  'voicewake.get': { params: NoParams; result: WakeWords };
  'voicewake.set': { params: WakeWords; result: WakeWords };
  'wake': { params: WakeParams; result: WakeResult };
  'web.login.start': { params: WebLoginStartParams; result: unknown };
  'web.login.wait': { params: WebLoginWaitParams; result: unknown };
  'wizard.cancel': { params: WizardCancelParams; result: WizardState };
  'wizard.next': { params: WizardNextParams; result: WizardTurn };
  'wizard.start': { params: WizardStartParams; result: WizardStarted };
  'wizard.status': { params: WizardSessionParams; result: WizardState };
}

/** What every event carries. */
export interface Events {
  'agent': AgentEvent;
  'channels.pairing.requested': ChannelsPairingRequestedEvent;
  'channels.pairing.resolved': ChannelsPairingResolvedEvent;
  'chat': ChatEvent;
  'cron': CronEvent;
  'device.pair.requested': DevicePairRequestedEvent;
  'device.pair.resolved': DevicePairResolvedEvent;
  'device.pair.setup.completed': DevicePairSetupCompletedEvent;
  'exec.approval.requested': ExecApprovalRequestedEvent;
  'exec.approval.resolved': ExecApprovalResolvedEvent;
  'health': HealthEvent;
  'node.hostStats': NodeHostStatsEvent;
  'node.pair.requested': NodePairRequestedEvent;
  'node.pair.resolved': NodePairResolvedEvent;
  'node.presence': NodePresenceEvent;
  'plugin.approval.requested': PluginApprovalRequestedEvent;
  'plugin.approval.resolved': PluginApprovalResolvedEvent;
  'presence': PresenceEvent;
  'session.message': SessionMessageEvent;
  'sessions.changed': SessionsChangedEvent;
  'shutdown': ShutdownEvent;
  'gateway.suspension': SuspensionEvent;
  'talk.mode': TalkModeEvent;
  'tick': TickEvent;
  'voicewake.changed': VoicewakeChangedEvent;
  'hello-ok': HelloOk;
}
