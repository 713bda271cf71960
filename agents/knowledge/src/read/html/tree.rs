//! A page as browsers parse it: `html5ever` reads the markup, and the tree it builds is kept here, flat and bounded.
//!
//! The parser itself knows no bounds, and some of its work grows with the square of a hostile page. So it is fed in small
//! pieces, and after each piece it is asked what it has open.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::{Duration, Instant};

use html5ever::interface::{ElementFlags, ExpandedName, NodeOrText, QuirksMode, Tracer, TreeSink};
use html5ever::tendril::{StrTendril, TendrilSink as _};
use html5ever::tree_builder::TreeBuilderOpts;
use html5ever::{Attribute, ParseOpts, QualName, local_name, ns, parse_document};

use crate::read::ReadError;

/// Bytes that the parser gets at once.
const PIECE: usize = 1_024;
/// Elements, stretches of text and comments of one page.
const MAX_NODES: usize = 500_000;
/// Elements open at one place. Browsers draw 512.
const MAX_OPEN: usize = 10_000;
/// Open elements times tags, summed: what looking through the open ones costs.
const MAX_WORK: usize = 400_000_000;
/// For what no count shows: one tag with a million attributes.
const MAX_TIME: Duration = Duration::from_secs(5);
/// No node.
const NONE: u32 = u32::MAX;

/// A page's nodes by number; the first is the document.
pub(super) struct Tree {
    nodes: Vec<Node>,
}

/// What a walk through a tree comes by.
pub(super) enum Step<'t> {
    Open(&'t Element),
    Text(&'t str),
    Close(&'t Element),
}

#[derive(Debug)]
pub(super) struct Element {
    name: Rc<QualName>,
    attributes: Vec<Attribute>,
}

impl Element {
    /// In lower case.
    pub fn name(&self) -> &str {
        &self.name.local
    }

    /// Part of a drawing or a formula.
    pub fn is_foreign(&self) -> bool {
        self.name.ns != ns!(html)
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|a| &*a.name.local == name).map(|a| &*a.value)
    }
}

#[derive(Debug)]
struct Node {
    parent: u32,
    before: u32,
    after: u32,
    first: u32,
    last: u32,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Element(Element),
    Text(String),
    /// The document, a comment, the content of a template.
    Other,
}

/// Parses a page.
pub(super) fn parse(source: &str) -> Result<Tree, ReadError> {
    let tree_builder = TreeBuilderOpts { scripting_enabled: true, ..TreeBuilderOpts::default() };
    let mut parser = parse_document(Growing::default(), ParseOpts { tree_builder, ..ParseOpts::default() });
    let began = Instant::now();
    let (mut rest, mut work) = (source, 0usize);
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
        rest = after;
        parser.process(StrTendril::from_slice(piece));
        let open = Count::default();
        parser.tokenizer.sink.trace_handles(&open);
        let open = open.0.get();
        work = work.saturating_add(open * PIECE / 8);
        if parser.tokenizer.sink.sink.nodes.borrow().len() >= MAX_NODES {
            return Err(ReadError::Tangled("too many elements".into()));
        }
        if open > MAX_OPEN || work > MAX_WORK {
            return Err(ReadError::Tangled("elements too deep within each other".into()));
        }
        if began.elapsed() > MAX_TIME {
            return Err(ReadError::Tangled("too much time".into()));
        }
    }
    Ok(parser.finish())
}

impl Tree {
    /// Every element and text in order, each element at its beginning and its end.
    pub fn steps(&self) -> impl Iterator<Item = Step<'_>> {
        let mut next = self.nodes.first().map_or(NONE, |document| document.first);
        let mut leaving = NONE;
        std::iter::from_fn(move || {
            loop {
                if leaving != NONE {
                    let node = self.nodes.get(leaving as usize)?;
                    (next, leaving) = (node.after, if node.after == NONE { node.parent } else { NONE });
                    match &node.kind {
                        Kind::Element(element) => return Some(Step::Close(element)),
                        _ => continue,
                    }
                }
                let at = next;
                let node = self.nodes.get(at as usize)?;
                if node.first == NONE {
                    (leaving, next) = (at, NONE);
                } else {
                    next = node.first;
                }
                match &node.kind {
                    Kind::Element(element) => return Some(Step::Open(element)),
                    Kind::Text(text) => return Some(Step::Text(text)),
                    Kind::Other => {}
                }
            }
        })
    }
}

#[derive(Default)]
struct Count(Cell<usize>);

impl Tracer for Count {
    type Handle = Handle;

    fn trace_handle(&self, _: &Handle) {
        self.0.set(self.0.get() + 1);
    }
}

/// A node as the parser holds it. The name goes along, since the parser may hold it while the tree changes.
#[derive(Clone, Debug)]
struct Handle {
    at: u32,
    name: Rc<QualName>,
}

/// The tree while it is built.
struct Growing {
    nodes: RefCell<Vec<Node>>,
    nameless: Rc<QualName>,
}

impl Default for Growing {
    fn default() -> Self {
        let nameless = Rc::new(QualName::new(None, ns!(), local_name!("")));
        let growing = Self { nodes: RefCell::default(), nameless };
        growing.grow(Kind::Other);
        growing
    }
}

impl Growing {
    /// A new node. When the page is full it gets a number that is no node's, and whatever is done with it is nothing.
    fn grow(&self, kind: Kind) -> u32 {
        let mut nodes = self.nodes.borrow_mut();
        if nodes.len() >= MAX_NODES {
            return NONE;
        }
        nodes.push(Node { parent: NONE, before: NONE, after: NONE, first: NONE, last: NONE, kind });
        nodes.len() as u32 - 1
    }

    fn other(&self) -> Handle {
        Handle { at: self.grow(Kind::Other), name: self.nameless.clone() }
    }

    fn node<T>(&self, at: u32, get: impl FnOnce(&Node) -> T) -> Option<T> {
        self.nodes.borrow().get(at as usize).map(get)
    }

    fn change(&self, at: u32, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.borrow_mut().get_mut(at as usize) {
            change(node);
        }
    }

    fn detach(&self, at: u32) {
        let Some((parent, before, after)) = self.node(at, |n| (n.parent, n.before, n.after)) else { return };
        match before {
            NONE => self.change(parent, |parent| parent.first = after),
            before => self.change(before, |node| node.after = after),
        }
        match after {
            NONE => self.change(parent, |parent| parent.last = before),
            after => self.change(after, |node| node.before = before),
        }
        self.change(at, |node| (node.parent, node.before, node.after) = (NONE, NONE, NONE));
    }

    /// Puts a node into its parent, in front of another or at the end.
    fn attach(&self, at: u32, parent: u32, after: u32) {
        if at == NONE || self.node(parent, |_| ()).is_none() {
            return;
        }
        self.detach(at);
        let before = match after {
            NONE => self.node(parent, |parent| parent.last),
            after => self.node(after, |after| after.before),
        };
        let before = before.unwrap_or(NONE);
        self.change(at, |node| (node.parent, node.before, node.after) = (parent, before, after));
        match before {
            NONE => self.change(parent, |parent| parent.first = at),
            before => self.change(before, |node| node.after = at),
        }
        match after {
            NONE => self.change(parent, |parent| parent.last = at),
            after => self.change(after, |node| node.before = at),
        }
    }

    fn put(&self, parent: u32, after: u32, child: NodeOrText<Handle>) {
        let text = match child {
            NodeOrText::AppendNode(node) => return self.attach(node.at, parent, after),
            NodeOrText::AppendText(text) => text,
        };
        let before = match after {
            NONE => self.node(parent, |parent| parent.last),
            after => self.node(after, |after| after.before),
        };
        let mut joined = false;
        self.change(before.unwrap_or(NONE), |before| {
            if let Kind::Text(before) = &mut before.kind {
                before.push_str(&text);
                joined = true;
            }
        });
        if !joined {
            self.attach(self.grow(Kind::Text(text.to_string())), parent, after);
        }
    }
}

impl TreeSink for Growing {
    type Handle = Handle;
    type Output = Tree;
    type ElemName<'a> = ExpandedName<'a>;

    fn finish(self) -> Tree {
        Tree { nodes: self.nodes.into_inner() }
    }

    fn parse_error(&self, _: Cow<'static, str>) {}

    fn get_document(&self) -> Handle {
        Handle { at: 0, name: self.nameless.clone() }
    }

    fn elem_name<'a>(&'a self, target: &'a Handle) -> ExpandedName<'a> {
        target.name.expanded()
    }

    fn create_element(&self, name: QualName, attributes: Vec<Attribute>, _: ElementFlags) -> Handle {
        let name = Rc::new(name);
        Handle { at: self.grow(Kind::Element(Element { name: name.clone(), attributes })), name }
    }

    fn create_comment(&self, _: StrTendril) -> Handle {
        self.other()
    }

    fn create_pi(&self, _: StrTendril, _: StrTendril) -> Handle {
        self.other()
    }

    fn append(&self, parent: &Handle, child: NodeOrText<Handle>) {
        self.put(parent.at, NONE, child);
    }

    fn append_based_on_parent_node(&self, element: &Handle, before: &Handle, child: NodeOrText<Handle>) {
        match self.node(element.at, |element| element.parent) {
            Some(parent) if parent != NONE => self.put(parent, element.at, child),
            _ => self.append(before, child),
        }
    }

    fn append_doctype_to_document(&self, _: StrTendril, _: StrTendril, _: StrTendril) {}

    /// A node that hangs nowhere: what is in a template is not on the page.
    fn get_template_contents(&self, _: &Handle) -> Handle {
        self.other()
    }

    fn same_node(&self, x: &Handle, y: &Handle) -> bool {
        x.at == y.at
    }

    fn set_quirks_mode(&self, _: QuirksMode) {}

    fn append_before_sibling(&self, sibling: &Handle, new: NodeOrText<Handle>) {
        if let Some(parent) = self.node(sibling.at, |sibling| sibling.parent) {
            self.put(parent, sibling.at, new);
        }
    }

    fn add_attrs_if_missing(&self, target: &Handle, attributes: Vec<Attribute>) {
        self.change(target.at, |node| {
            if let Kind::Element(element) = &mut node.kind {
                for new in attributes {
                    if element.attributes.iter().all(|a| a.name != new.name) {
                        element.attributes.push(new);
                    }
                }
            }
        });
    }

    fn remove_from_parent(&self, target: &Handle) {
        self.detach(target.at);
    }

    fn reparent_children(&self, node: &Handle, new_parent: &Handle) {
        while let Some(child) = self.node(node.at, |node| node.first).filter(|child| *child != NONE) {
            self.attach(child, new_parent.at, NONE);
            if self.node(child, |child| child.parent) == Some(node.at) {
                return;
            }
        }
    }
}
