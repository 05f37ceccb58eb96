//! Every method and every event by its type, for programs that walk over all of them: the page's types are made of
//! these. A gateway's test says when a method it answers is missing here.

/// Calls a macro with every method, `connect` excepted, as `[module Method …]` below `homard_protocol::methods`.
#[macro_export]
macro_rules! every_method {
    ($call:ident) => {
        $call! {
            [channels::accounts ChannelsLogout ChannelsPairingApprove ChannelsPairingDismiss ChannelsPairingList
                ChannelsStart ChannelsStop WebLoginStart WebLoginWait]
            [chat::agent Agent AgentWait AgentsList ModelsList]
            [agents::workspace AgentsWorkspaceGet AgentsWorkspaceList]
            [agents AgentsCreate AgentsDelete AgentsFilesGet AgentsFilesList AgentsFilesSet AgentsUpdate]
            [approvals ExecApprovalGet ExecApprovalList ExecApprovalRequest ExecApprovalResolve
                ExecApprovalWaitDecision PluginApprovalList PluginApprovalResolve]
            [approvals::unified ApprovalGet ApprovalHistory ApprovalResolve ExecApprovalGrantsList]
            [models::auth_order ModelsAuthOrderSet]
            [models::auth_status ModelsAuthStatus]
            [channels::check ChannelsCheck]
            [channels ChannelsPlatforms ChannelsStatus]
            [chat ChatAbort ChatHistory ChatInject ChatSend]
            [chat::message ChatMessageGet]
            [chat::startup ChatMetadata ChatStartup CommandsList]
            [sessions::compact SessionsCompact]
            [config ConfigApply ConfigGet ConfigPatch ConfigSchema ConfigSet]
            [config::lookup ConfigOpenFile ConfigSchemaLookup]
            [cron CronAdd CronGet CronList CronPreview CronRemove CronRun CronRuns CronStatus CronUpdate]
            [channels::dead_letters ChannelsDeadLetters]
            [devices DevicePairApprove DevicePairList DevicePairReject DevicePairRemove DevicePairRename
                DeviceTokenRevoke DeviceTokenRotate]
            [approvals::exec_policy ExecApprovalsGet ExecApprovalsSet]
            [memory MemoryGet MemoryList MemorySearch]
            [memory::index MemoryForget MemoryIndex MemoryStatus]
            [models::auth ModelsAuthImport ModelsAuthLogout ModelsAuthSetApiKey ModelsProbe]
            [nodes::exec_policy ExecApprovalsNodeGet ExecApprovalsNodeSet]
            [nodes::invoke NodeEvent NodeInvoke NodeInvokeProgress NodeInvokeResult NodePendingAck
                NodePendingDrain NodePendingEnqueue NodePendingPull NodePluginSurfaceRefresh]
            [nodes NodeDescribe NodeList NodePairApprove NodePairList NodePairReject NodePairRemove
                NodeRename]
            [system::stubs BoardGet MentionsList OpenclawApprovalList PluginSurfaceRefresh PluginsControlUiList
                ProjectsList SessionDiscussionInfo SessionMembersListEvidence SessionPullRequestsSubscribe
                SessionsCatalogList SessionsObserverVisibility SessionsViewersSet UsersPrefsGet]
            [channels::sending MessageAction Poll Send]
            [sessions::commands SessionsAbort SessionsCreate SessionsGet SessionsSend SessionsSteer]
            [sessions::archive SessionsCleanup SessionsEnded SessionsRestore]
            [sessions::artifacts ArtifactsDownload ArtifactsList]
            [sessions::branches SessionsBranchesList SessionsBranchesSwitch SessionsFork SessionsRewind]
            [sessions::context SessionsContext]
            [sessions::files SessionsFilesGet SessionsFilesList]
            [sessions::groups SessionsGroupsDefaults SessionsGroupsDelete SessionsGroupsList SessionsGroupsPut
                SessionsGroupsRename SessionsGroupsUpdate]
            [sessions::details AgentIdentityGet SessionsDescribe SessionsMessagesSubscribe
                SessionsMessagesUnsubscribe]
            [sessions::patch_many SessionsPatchMany]
            [sessions::search SessionsSearch]
            [sessions SessionsDelete SessionsList SessionsPatch SessionsPreview SessionsReset
                SessionsResolve SessionsSubscribe]
            [devices::setup_codes DevicePairSetupCode DevicePairSetupStatus DeviceScopesRequestUpgrade
                DeviceScopesWaitUpgrade]
            [system::conversation_stubs ProgressCardGet QuestionList SessionsCompanionState TaskSuggestionsList]
            [system::host DiagnosticsLanes EnvironmentsList FsListDir SessionsStorageStatus]
            [system::tasks TasksCancel TasksGet TasksHistory TasksList]
            [system::room_stubs PluginsList PluginsUiDescriptors PortalList SecretsStoreList SessionSuggestionsList
                TerminalList TranscriptsList TranscriptsStatus UsersList WorktreesList]
            [tools::hooks HooksStatus]
            [tools::skills SkillsBins SkillsInstall SkillsStatus SkillsUpdate]
            [system Health LastHeartbeat LogsTail Status SystemPresence]
            [tools ToolsCatalog ToolsEffective ToolsExplain]
            [tools::invoke ToolsInvoke]
            [tools::search_status WebSearchStatus]
            [sessions::undo UndoApply UndoList]
            [system::maintenance BrowserRequest GatewayIdentityGet SecretsReload SystemInfo UpdateRun UpdateStatus]
            [usage UsageCost UsageRuns UsageStatus]
            [usage::hours UsageHours]
            [usage::sessions SessionsUsage SessionsUsageLogs SessionsUsageTimeseries]
            [voice TalkCatalog TalkConfig TalkMode TalkSpeak TtsConvert TtsDisable TtsEnable TtsProviders
                TtsSetProvider TtsStatus]
            [voice::wake_words VoicewakeGet VoicewakeSet]
            [system::wake SetHeartbeats SystemEvent WakeUp]
            [config::wizard WizardCancel WizardNext WizardStart WizardStatus]
        }
    };
}

/// Calls a macro with every event, as types of `homard_protocol::events`.
#[macro_export]
macro_rules! every_event {
    ($call:ident) => {
        $call! {
            AgentEvent ChannelsPairingRequestedEvent ChannelsPairingResolvedEvent ChatEvent ConfigChangedEvent
            CronEvent
            DevicePairRequestedEvent DevicePairResolvedEvent DevicePairSetupCompletedEvent
            ExecApprovalRequestedEvent ExecApprovalResolvedEvent HealthEvent HeartbeatEvent NodeHostStatsEvent
            NodePairRequestedEvent NodePairResolvedEvent NodePresenceEvent PluginApprovalRequestedEvent
            PluginApprovalResolvedEvent PresenceEvent SessionMessageEvent SessionOperationEvent SessionsChangedEvent
            ShutdownEvent SkillsChangedEvent
            SuspensionEvent TalkModeEvent TickEvent VoicewakeChangedEvent
        }
    };
}
